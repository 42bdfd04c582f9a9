-- lock_2_10.lua: redis-py's Lock of the releases 2.10: a token, as today, but SETNX takes the lock and PEXPIRE sets
-- its end. (Its release compares and deletes in a transaction; the script here does the same.)
local generic = require "generic"

return generic.lock {
  -- a thread has its token for itself (threading.local), and shares nothing else
  runtime  = "gil",
  acquire  = { { "SETNX", "$lock", "$token" }, { "PEXPIRE", "$lock", "$lease_ms" } },
  release  = "basic/set_nx/release.lua",
  args     = { release = { "$token" } },
  granted  = 1,
  retry_ms = 100,
  lease_ms = 2000,
}
