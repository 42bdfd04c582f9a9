-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/semaphore: an interrupt, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit that was taken and never told of, or whose release never ran, is gone for good: there is no lease.
    prompt = { "violated", idle_ms = 1 },
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
