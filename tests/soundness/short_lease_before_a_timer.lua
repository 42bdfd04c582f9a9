-- truth: always (LK090) violated
-- A thinks for 5 ms and takes a lease of 2 ms, at any time. B's timer, set long before, ends meanwhile.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:sleep(5)
      me:call("SET", "lease", me.id, "PX", 2)
      return
    end
    me:sleep(1000)
    if me:call("GET", "lease") then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
