-- setnx_expire.lua: the lock from before Redis 2.6.12, when SET could not do both: SETNX takes it and PEXPIRE, a
-- request of its own, gives it a TTL. A client that dies in between leaves a lock that never ends.
local generic = require "generic"

return generic.lock {
  runtime  = "threads",
  acquire  = { { "SETNX", "$lock", "$token" }, { "PEXPIRE", "$lock", "$lease_ms" } },
  release  = "basic/set_nx/release.lua",
  args     = { release = { "$token" } },
  granted  = 1,
  retry_ms = 250,
  lease_ms = 2000,
}
