-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redisson/fair_3_13: a clock that jumps, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { clock_jump = { 1, ms = 600000 } },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A fast clock gives deadlines that are far ahead by the clocks of the others.
    prompt = { "violated", idle_ms = 30001 },
    -- By a fast clock the head of the queue has outwaited its deadline: it is dropped, and has to queue again.
    fifo = "violated",
  },
  must_see = { "clock_jump" },
}
