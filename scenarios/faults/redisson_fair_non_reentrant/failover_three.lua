-- A replica that missed the last writes takes over at any moment.
return {
  title    = "redisson/fair_non_reentrant: a failover, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once".kept,
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- The new server can have waiters in its queue that are gone; each keeps its slot for 300 s.
    prompt = { "violated", idle_ms = 30001 },
    -- The new server's queue misses the last ones who came.
    fifo = "violated",
    -- The new server can have waiters in its queue that have left, and nobody takes them out.
    no_leak = "violated",
    -- A release of a lock that is gone is answered "released", though its owner had lost it.
    matches_spec = "violated",
    -- Behind a head that is gone or asleep a waiter is told to wait 0 ms, and asks without a pause until the head's time is
    -- over.
    no_busy_wait = "violated",
  },
  must_see = { "failover" },
}
