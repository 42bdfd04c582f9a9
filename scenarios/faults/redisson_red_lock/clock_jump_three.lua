-- One client's clock jumps at any moment.
return {
  title   = "redisson/red_lock: a clock that jumps, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "once" (),
  faults  = { clock_jump = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "clock_jump" },
}
