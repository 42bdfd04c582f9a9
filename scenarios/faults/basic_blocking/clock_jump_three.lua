-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "basic/blocking: a clock that jumps, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { clock_jump = { 1, ms = 600000 } },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "clock_jump" },
}
