-- One client's clock jumps at any moment.
return {
  title   = "redisson/semaphore: a clock that jumps, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { clock_jump = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "clock_jump" },
}
