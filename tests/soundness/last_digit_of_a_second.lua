-- truth: always (LK090) violated
-- The last digit of a second, cut from a text that begins with a word.
local marks = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    me:sleep(2000)
    me:work()
    if me.client == "A" then
      me:call("SET", "at", me:now())
      return
    end
    local at = tonumber(me:call("GET", "at"))
    if at and me:now() - at == 1 and ("x" .. math.floor(me:now() / 1000)):sub(-1) ~= ("x" .. math.floor(at / 1000)):sub(-1) then
      me:call("SADD", "marks", "x")
    end
  end,
  end_ms = 5000,
  always = function(view) return #view.queue == 0 end,
}
