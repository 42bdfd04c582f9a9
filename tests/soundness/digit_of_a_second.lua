-- truth: always (LK090) violated
-- A looks at the last digit of a second that stands in a longer text.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    me:sleep(2000)
    if me.client == "B" then
      me:call("GET", "k")
      return
    end
    me:work()
    local text = string.format("%d:%s", math.floor(me:now() / 1000), me.id)
    me:call("SET", "k", text)
    if tonumber(text:sub(10, 10)) >= 5 then me:call("SADD", "marks", "x") end
  end,
  end_ms = 9000,
  always = function(view) return #view.queue == 0 end,
}
