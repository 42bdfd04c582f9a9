-- Redlock tells its caller how long it has the lock: the lease, less the time that the votes took. A client that takes
-- that time from the wall clock, which is set back between the first vote and the last, gets a validity of minutes
-- where the servers keep a lease of a second. It works for as long as it was told, and the next one comes in.
--
-- How likely: rare, and then not by chance: NTP steps a clock that is far off, as after a virtual machine was
-- suspended, just when votes are slow. Kleppmann wrote of the servers' clocks; here one client's is enough. The mend:
-- take the time from a monotonic clock, and never give more than the lease: `math.min(valid_ms, lease_ms)` alone
-- leaves a client at most one lease late. No library is meant: a client that takes the time from Date.now() or its
-- like, and most do, has this clock.
local redlock = require("redlock.redlock").over(3)

return {
  title   = "Redlock: the client's clock is set back between two votes",
  servers = 3,
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redlock.lock(me, "order:42", { lease_ms = 1000, retry_ms = 700 })
    if lock:acquire() then
      me:work(math.min(lock.valid_ms, 1500))
      lock:release()
    end
  end,
  faults  = { clock_jump = { 1, of = "A", ms = -600000 } },
  expect  = { mutual_exclusion = "violated", lease_set = "violated" },
  must_see = { "clock_jump" },
}
