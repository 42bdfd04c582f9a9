-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/faster_multi: an interrupt, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- An interrupted acquire takes the values all the same, and the watchdog renews them for a thread that has gone.
    prompt = { "violated", idle_ms = 30001 },
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
