-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redisson/read_write: a clock that jumps, two clients",
  clients = { "A", "B" },
  program = require "once".any_side,
  faults  = { clock_jump = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "clock_jump" },
}
