-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redlock of three: a clock that jumps, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { clock_jump = { 1, ms = 600000 } },
  end_ms  = 1500,
  expect  = {
    strict_mutual_exclusion = "holds",
  },
  must_see = { "clock_jump" },
}
