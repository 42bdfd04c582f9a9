-- One client's clock jumps at any moment.
return {
  title   = "redisson/semaphore: a clock that jumps, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { clock_jump = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "clock_jump" },
}
