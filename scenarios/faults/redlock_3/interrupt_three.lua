-- One waiting thread is interrupted, at any moment.
return {
  title   = "redlock of three: an interrupt, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "interrupt" },
}
