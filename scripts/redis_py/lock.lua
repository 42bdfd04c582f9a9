-- lock.lua: redis-py's Lock since release 3.0 (2018): SET NX PX with a fresh token, scripts that compare the token to release; a
-- refused client sleeps 100 ms and asks again.
local generic = require "generic"

return generic.lock {
  runtime  = "gil",                            -- a thread has its token for itself (threading.local), and shares nothing else
  acquire  = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" },
  release  = "basic/set_nx/release.lua",
  args     = { release = { "$token" } },
  granted  = "OK",
  retry_ms = 100,
  lease_ms = 2000,
}
