-- Seed 002 asks for a globally unique value. With one value for all clients, the simple lock is anybody's to release.
-- B, refused, releases with the shared value; A's lock is gone, and C walks in while A works.
local generic = require "generic"

local shared = generic.lock {
  acquire = "simple/string/acquire.lua", release = "simple/string/release.lua",
  args    = { acquire = { "the same for all", 30 }, release = { "the same for all" } },
  granted = 1, lease_ms = 30000, spec = "none",
  holder  = function() return {} end,          -- the keyspace can't say who it is
}

return {
  title   = "claim of seed 002: the value must be unique",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = shared.lock(me, "dist_lock")
    if lock:try_acquire() then
      me:work(100)
    end
    lock:release()                             -- as seed 001's sample does: whether it was acquired or not
  end,
  expect  = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "contention" },
}
