-- A lock object of Redisson remembers the last lease that it was given, and forgets it when the lock is free; that of
-- the faster multi-lock does not. lock(1 s), unlock, and then lock() on the same object takes the values for one
-- second. The first renewal comes after ten: until then anybody takes what its owner believes the watchdog keeps.
--
-- How likely: certain, for each object that is used with a lease and later without. The mend: forget the lease with
-- the release. Checked against redisson 4.7.0 by a trace of the real client (tests/recordings/clients, fast_10).
local redisson = require "redisson.faster_multi"

local function program(keeps_lease)
  return function(me)
    local accounts = redisson.lock(me, "accounts", { "1", "2" })
    accounts.family.keeps_lease = keeps_lease
    if me.client == "A" then
      accounts:acquire { lease_ms = 1000 }
      accounts:release()
    end
    if accounts:acquire() then
      me:work(3000)
      accounts:release()
    end
  end
end

return {
  title   = "a lease that outlives its release",
  clients = { "A", { "B", start_ms = 10 } },
  program = program(true),
  expect  = {
    mutual_exclusion = "violated", strict_mutual_exclusion = "violated",
    -- B may take the values in the last millisecond of the group's life (faster_multi_last_millisecond).
    lease_set = "violated",
  },
  must_see = { "wait" },
  twin    = {
    title   = "a lease that ends with its release",
    program = program(false),
    expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds", lease_set = "holds" },
  },
}
