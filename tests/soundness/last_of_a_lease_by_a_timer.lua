-- truth: always (LK090) violated
-- A comes at any time. B looks, sleeps for a while, and does something else in the last milliseconds of A's lease.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "lease", me.id, "PX", 2000)
      return
    end
    me:call("GET", "lease")
    me:sleep(3000)
    local left_ms = me:call("PTTL", "lease")
    if left_ms > 3 and left_ms < 6 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
