-- One waiting thread is interrupted, at any moment.
return {
  title   = "redis_py/lock_2_9: an interrupt, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2801 },
    -- The key has no TTL: what nobody deletes stays, its instant long past.
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
