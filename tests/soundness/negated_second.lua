-- truth: always (LK090) violated
-- A looks which of four seconds it is, and at the negated number.
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
    local now_s = math.floor(me:now() / 1000)
    me:call("SET", "k", now_s)
    if -now_s % 4 == 3 then me:call("SADD", "marks", "x") end
  end,
  end_ms = 9000,
  always = function(view) return #view.queue == 0 end,
}
