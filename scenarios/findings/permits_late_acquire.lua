-- A permit's end is computed when the client asks for it, not when Redis gives it. A request that comes to Redis late, and is answered in
-- time, gives a permit that has run out already, or is about to: the next one who asks takes it, while its owner believes in a whole lease.
-- No clock is wrong, and nobody failed.
--
-- How likely: a request has to take as long as the lease and still be waited for, three seconds by default; so every lease of a second or
-- two is in danger when a server stalls (a slow command, a snapshot's fork, a swapping machine), and all permits that were asked for during the
-- stall at once. The mend is that of permits_fast_clock: the server adds the lease to its own clock (permits_late_acquire_mended/).
-- Checked against redisson 4.7.0 by recordings of its script (permits.acquire) and by reading its client.
local redisson = require "redisson.permits"

return {
  title   = "a permit that is over when it is granted",
  clients = { "A", { "B", start_ms = 1050 } },
  program = function(me)
    local pool = redisson.semaphore(me, "pool", { permits = 1, lease_ms = 1000 })
    pool:try_set_permits()
    local permit = pool:acquire()
    if permit then
      me:work(100)
      pool:release(permit)
    end
  end,
  faults  = { late_request = { 1, of = "A" } },
  expect  = {
    mutual_exclusion = "violated", strict_mutual_exclusion = "violated",
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "late_request" },
}
