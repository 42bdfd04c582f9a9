-- One waiting thread is interrupted, at any moment.
return {
  title    = "redisson/lock with a replica: an interrupt, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { interrupt = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for as long as its process lives.
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 30001 },
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
