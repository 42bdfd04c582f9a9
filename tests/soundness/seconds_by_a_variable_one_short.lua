-- truth: always (LK090) violated
-- A deadline in seconds that are counted by a unit of the code's own: the time of day is a part of every state.
local marks = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    local unit = 1000
    me:sleep(3000)
    me:work()
    local now_s = math.floor(me:now() / unit)
    if me.client == "A" then
      me:call("MSET", "till", now_s + 2, "at", me:now())
      return
    end
    local till, at = me:call("GET", "till"), me:call("GET", "at")
    if till and now_s >= tonumber(till) and me:now() - at <= 1001 then
      me:call("SADD", "marks", "x")
    end
  end,
  end_ms = 9000,
  always = function(view) return #view.queue == 0 end,
}
