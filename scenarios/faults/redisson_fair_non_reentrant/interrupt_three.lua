-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/fair_non_reentrant: an interrupt, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for as long as its process lives.
    no_deadlock = "violated",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for a thread that has gone.
    prompt = { "violated", idle_ms = 30001 },
    -- An interrupt ends a waiter's claim to its turn, but the acquire swallows it and keeps its place.
    fifo = "violated",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for as long as its process lives.
    no_leak = "violated",
    -- Behind a head that is gone or asleep a waiter is told to wait 0 ms, and asks without a pause until the head's time is over.
    no_busy_wait = "violated",
  },
  must_see = { "interrupt" },
}
