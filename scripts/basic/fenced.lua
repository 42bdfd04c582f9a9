-- fenced.lua: a lock that numbers its holders. The number goes with every access to what the lock protects, and the
-- resource refuses one that is smaller than it has seen: the lease may then end under its holder without harm. The
-- counter outlives the lock.
local generic = require "generic"

return generic.lock {
  runtime  = "threads",
  acquire  = "basic/fenced/acquire.lua",
  release  = "basic/set_nx/release.lua",
  keys     = { acquire = { "$lock", "{$lock}:fence" }, release = { "$lock" } },
  args     = { acquire = { "$token", "$lease_ms" }, release = { "$token" } },
  lasting  = { "{$lock}:fence" },
  fencing  = true,
  retry_ms = 250,
  lease_ms = 2000,
}
