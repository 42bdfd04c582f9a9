-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redlock of three: a clock that jumps, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { clock_jump = { 1, ms = 600000 } },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "clock_jump" },
}
