-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redisson/spin: a clock that jumps, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { clock_jump = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1065 },
  },
  must_see = { "clock_jump" },
}
