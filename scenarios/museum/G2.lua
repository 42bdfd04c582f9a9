-- The lock is given back with a DEL that does not ask whose it is. A holder that was paused past its lease deletes the
-- next one's lock, and a third comes in.
local set_nx = require "basic.set_nx"

return {
  title   = "DEL without an owner test",
  exhibit = { bug = "G2", library = "home-made", what = "release deletes whatever lock is there" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = set_nx.lock(me, "order:42", { lease_ms = 1000, retry_ms = 500 })
    if lock:acquire() then
      me:work(500)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    owner_only = "violated",
    -- C is granted what was promised to B, which was never paused.
    mutual_exclusion = "violated",
    matches_spec = "violated",
  },
  must_see = { "pause", "expiry" },
  patch   = {
    ["basic/set_nx/release.lua"] = [[
-- release.lua: delete the lock, whatever its owner.
-- KEYS  1 lock      ARGV  1 the value that the caller's acquire stored (not looked at)
-- Returns 1, or 0 when there is no lock.
return redis.call('DEL', KEYS[1])
]],
  },

  -- The twin of G2: a script compares the value and deletes.
  twin = {
    title   = "compare and delete",
    expect  = { mutual_exclusion = "holds", owner_only = "holds", matches_spec = false },
    patch   = {},
  },
}
