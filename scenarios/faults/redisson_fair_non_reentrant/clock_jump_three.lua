-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redisson/fair_non_reentrant: a clock that jumps, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { clock_jump = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    fifo = "holds",
  },
  must_see = { "clock_jump" },
}
