-- truth: always (LK090) violated
-- Around a third of the lease, and only there, B does something else: at both ends of the wait all is the same.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

local lease_ms = 30000
return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", "x", "PX", lease_ms)
      return
    end
    me:work()
    local left_ms = me:call("PTTL", "k") or -2
    if left_ms > lease_ms / 3 - 7 and left_ms < lease_ms / 3 + 7 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
