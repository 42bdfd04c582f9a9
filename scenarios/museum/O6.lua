-- Artemis renewed its lock with a SET and gave it back with a DEL, and checked the owner at neither. An
-- instance that stalled past its lease came back and wrote its own value over that of the next holder, then deleted
-- it.
local renewed = require "basic.renewed"

return {
  title   = "Artemis: blind SET to renew, blind DEL to release",
  exhibit = { bug = "PR #2670", library = "Artemis", versions = "until April 2026",
              what = "renew and release do not compare the owner" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = renewed.lock(me, "order:42", { lease_ms = 600, retry_ms = 400 })
    if lock:acquire() then
      me:work(300)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    -- A, awake again, renews or releases what is B's by now.
    owner_only = "violated",
    -- And then C is in beside B, whose process never stood still.
    mutual_exclusion = "violated",
    matches_spec = "violated",
  },
  must_see = { "pause", "renewal" },
  patch   = {
    ["basic/set_nx/release.lua"] = [[
-- release.lua: delete the lock, whatever its owner.
-- KEYS  1 lock      ARGV  1 the value that the caller's acquire stored (not looked at)
-- Returns 1, or 0 when there is no lock.
return redis.call('DEL', KEYS[1])
]],
    ["basic/set_nx/renew.lua"] = [[
-- renew.lua: write the caller's value and a full lease, whatever value stands there.
-- KEYS  1 lock      ARGV  1 the value that the caller's acquire stored, 2 lease in milliseconds
-- Returns 1.
local lock, token, lease_ms = KEYS[1], ARGV[1], ARGV[2]
redis.call('SET', lock, token, 'PX', lease_ms)
return 1
]],
  },

  -- The twin of O6: both are scripts that compare the value first.
  twin = {
    title   = "Artemis: renew and release compare the owner",
    expect  = { mutual_exclusion = "holds", owner_only = "holds", matches_spec = false },
    patch   = {},
  },
}
