-- The server fails at any moment, and a replica takes over that lacks its latest writes.
return {
  title   = "redisson/semaphore: a failover, two clients",
  replicas = 1,
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { failover = 1 },
  expect  = {
    -- The pool's key is all there is. The client that comes next sets the full number of permits again, though some are out.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- Whoever has set the permits already, or finds the key gone, waits for a release: no lease and no time-out will end that.
    prompt = { "violated", idle_ms = 1 },
    no_deadlock = "violated",
    -- A release that the replica has not seen yet has been told to the waiters. They ask, are refused, and nobody will tell them of
    -- another.
    no_lost_wakeup = "violated",
  },
  must_see = { "failover" },
}
