-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redlock of five: a clock that jumps, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { clock_jump = { 1, ms = 600000 } },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "clock_jump" },
}
