-- One client's clock jumps at any moment.
return {
  title   = "redisson/latch: a clock that jumps, three clients",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program = require "once" (2),
  faults  = { clock_jump = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "clock_jump" },
}
