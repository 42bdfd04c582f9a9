-- Artemis renewed its lock with a SET and gave it back with a DEL, and looked at neither time whose lock it was. An instance that
-- stalled past its lease came back and wrote its own value over that of the next holder, then deleted it.
local renewed = require "basic.renewed"

return {
  title   = "Artemis: blind SET to renew, blind DEL to release",
  exhibit = { bug = "PR #2670", library = "Artemis", versions = "until April 2026", what = "renew and release do not compare the owner",
              twin = "O6_mended.lua" },
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
}
