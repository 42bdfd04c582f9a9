-- One waiting thread is interrupted, at any moment.
return {
  title   = "redis_py/lock_2_9: an interrupt, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { interrupt = 1 },
  expect  = {
    -- A DEL that is executed late deletes the lock of the next one, and a third comes in.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2801 },
    -- The key has no TTL: what nobody deletes stays, its instant long past.
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
