-- truth: always (LK090) violated
-- The same where B comes at 20: the jitter has to end somewhere within its range.
local marks = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 20 } },
  program = function(me)
    me:observe("L", marks)
    if me.client == "A" then
      me:sleep(50, 59)
      me:call("SET", "at", me:now())
      return
    end
    me:sleep(50)
    local at = me:call("GET", "at")
    if at and me:now() - at == 15 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
