-- truth: always (LK090) violated
-- A takes a lease of 50 ms, B writes a beat. C goes wrong in the last 3 ms of the lease, if the beat is 5 to 7 ms old.
-- Truth: VIOLATED: A at 0, B at 42, C at 48.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then me:call("SET", "lease", "A", "PX", 50) return end
    if me.client == "B" then me:call("SET", "beat", me:now()) return end
    local left_ms, beat = me:call("PTTL", "lease"), me:call("GET", "beat")
    if left_ms < 0 or not beat then return end
    if left_ms <= 3 and me:now() - beat >= 5 and me:now() - beat <= 7 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
