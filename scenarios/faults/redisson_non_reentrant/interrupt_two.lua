-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/non_reentrant: an interrupt, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for a thread that has gone.
    prompt = { "violated", idle_ms = 30001 },
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for as long as its process lives.
    no_deadlock = "violated",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for as long as its process lives.
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
