-- confirmed.lua: the lock of set_nx.lua for a server with replicas. A client has the lock only when a replica has it,
-- too, and when it is still there afterwards: after a failover WAIT is answered by a server to which this client has
-- written nothing, at once. The value is a fresh one for each request: else an earlier value of the client's own, come
-- back with the replica, would be mistaken for this one. The lease begins with SET: if the other answers took longer
-- than that, another client may have the lock by now.
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
