-- The holder is paused past its lease: when it wakes it still believes to hold what another has taken.
local simple = require "simple.counted"

return {
  title   = "simple/counted: a pause longer than the lease",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    -- The lease ran out because its holder was paused; no promise was broken.
    mutual_exclusion = "holds",
    -- The paused client wakes up inside its critical section, where the next one is by now. No lease can prevent it; fencing
    -- tokens can.
    strict_mutual_exclusion = "violated",
  },
  must_see = { "pause", "expiry" },
}
