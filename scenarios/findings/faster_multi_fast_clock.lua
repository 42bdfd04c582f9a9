-- When a value of Redisson's faster multi-lock runs out is a time of its owner's clock, and whether it has run out is decided by the clock of
-- the next one who asks. A client whose clock is ahead by more than the lease, which a watchdog keeps below 30 s, takes values from owners who
-- renew them all the time; and what he takes is safe from all the others, for as long as his clock is ahead.
--
-- How likely: 30 s are more than a time service lets happen, so this takes a machine without one, or one that woke from a long sleep; with
-- leases of a second or two it takes no more than everyday drift. The mend: the server's clock (TIME, in faster_multi_fast_clock_mended/).
-- Checked against redisson 4.7.0 by recordings of its script (faster_multi.acquire).
local redisson = require "redisson.faster_multi"

return {
  title   = "a fast clock takes values that are in use",
  clients = { "A", { "B", skew_ms = 40000 } },
  program = function(me)
    local accounts = redisson.lock(me, "accounts", { "1", "2" })
    if accounts:acquire() then
      me:work(100)
      accounts:release()
    end
  end,
  expect  = {
    mutual_exclusion = "violated", strict_mutual_exclusion = "violated", owner_only = "violated",
    -- What another has would have to be refused.
    matches_spec = "violated",
  },
}
