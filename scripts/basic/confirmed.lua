-- confirmed.lua: the lock of set_nx.lua for a server with replicas. Whoever takes it has it only when a replica has
-- it, too, and when it is still there afterwards: after a failover WAIT is answered by a server to which this client
-- has written nothing, at once. The value is a fresh one each time it asks, or else an earlier one of its own, come
-- back with the replica, would be taken for this. And the lease begins with SET: if the answers of the others took
-- longer than that, the lock is another's by now.
local generic = require "generic"

return generic.lock {
  runtime  = "threads",
  acquire  = {
    { "SET", "$lock", "$try", "NX", "PX", "$lease_ms" },
    { "WAIT", 1, 100, at_least = 1 },
    { "GET", "$lock", equals = "$try" },
  },
  release  = "basic/set_nx/release.lua",
  args     = { release = { "$try" } },
  granted  = "OK",
  within_lease = true,
  retry_ms = 250,
  lease_ms = 2000,
}
