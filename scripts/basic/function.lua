-- function.lua: the lock on one server as Redis functions: a library that is loaded once, and called by FCALL. It is
-- renewed while it is held.
local generic = require "generic"

return generic.lock {
  runtime  = "threads",
  acquire  = "basic/function/lock.lua:lock_acquire",
  renew    = "basic/function/lock.lua:lock_renew",
  release  = "basic/function/lock.lua:lock_release",
  args     = { acquire = { "$token", "$lease_ms" }, renew = { "$token", "$lease_ms" }, release = { "$token" } },
  granted  = "OK",
  retry_ms = 250,
  lease_ms = 2000,
}
