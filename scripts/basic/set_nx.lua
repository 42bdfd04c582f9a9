-- set_nx.lua: the lock on one server that Redis' documentation recommends: one command takes it, with a value that is
-- never used twice and a TTL; a script gives it back, and only where that value still stands. Refused clients sleep
-- and ask again.
local generic = require "generic"

return generic.lock {
  runtime  = "threads",
  acquire  = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" },
  release  = "basic/set_nx/release.lua",
  args     = { release = { "$token" } },
  granted  = "OK",
  retry_ms = 250,
  lease_ms = 2000,
}
