-- truth: always (LK090) violated
-- B comes at any moment, and sleeps; the jitter of A, asleep since the beginning, ends 11 ms before B looks.
local marks = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    me:observe("L", marks)
    if me.client == "A" then
      me:sleep(50, 59)
      me:call("SET", "at", me:now())
      return
    end
    me:sleep(50)
    local at = me:call("GET", "at")
    if at and me:now() - at == 11 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
