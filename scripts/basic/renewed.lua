-- renewed.lua: the lock of set_nx.lua with a heartbeat: a task of the holder's process renews the lease at a third of
-- it, for as long as the value is still its own.
local generic = require "generic"

return generic.lock {
  runtime  = "threads",
  acquire  = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" },
  release  = "basic/set_nx/release.lua",
  renew    = "basic/set_nx/renew.lua",
  args     = { release = { "$token" }, renew = { "$token", "$lease_ms" } },
  granted  = "OK",
  retry_ms = 250,
  lease_ms = 3000,
}
