-- truth: always (LK090) violated
-- B asks every 50 ms how long the lease lives that A takes at any time, and does something else in the last 4 ms of it.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "lease", me.id, "PX", 220)
      return
    end
    for _ = 1, 8 do
      me:sleep(50)
      local left_ms = me:call("PTTL", "lease")
      if left_ms > 0 and left_ms < 4 then
        me:call("SADD", "marks", "x")
      end
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
