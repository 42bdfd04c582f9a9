-- One waiting thread is interrupted, at any moment.
return {
  title   = "redlock of five: an interrupt, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "interrupt" },
}
