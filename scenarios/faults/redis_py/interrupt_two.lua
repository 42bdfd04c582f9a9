-- One waiting thread is interrupted, at any moment.
return {
  title   = "redis_py/lock: an interrupt, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2201 },
  },
  must_see = { "interrupt" },
}
