-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/read_write: an interrupt, two clients",
  clients = { "A", "B" },
  program = require "once".any_side,
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for a thread that has gone.
    prompt = { "violated", idle_ms = 30001 },
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for as long as its process lives.
    no_deadlock = "violated",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for as long as its process lives.
    no_leak = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "interrupt" },
}
