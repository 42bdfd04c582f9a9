-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "redisson/fair_non_reentrant: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- The old self is dropped from the head of the queue only when its slot of 300 s is over.
    prompt = { "violated", idle_ms = 30001 },
    fifo = "holds",
    -- Behind a head that is gone or asleep a waiter is told to wait 0 ms, and asks without a pause until the head's time is over.
    no_busy_wait = "violated",
  },
  must_see = { "restart" },
}
