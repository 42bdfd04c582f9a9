-- truth: always (LK090) violated
-- What is left of a lease, less the time that the request took and a share for drift: the last millisecond of it.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A" },
  latency_ms = { 0, 600 },
  program = function(me)
    me:observe("L", unmarked)
    local lease_ms, from = 500, me:now()
    me:call("SET", "k", "x", "NX", "PX", lease_ms)
    local valid_ms = lease_ms - (me:now() - from) - (lease_ms * 0.01 + 2)
    if valid_ms > 0 and valid_ms <= 1 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
