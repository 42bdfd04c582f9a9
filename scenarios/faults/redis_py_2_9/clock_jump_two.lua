-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redis_py/lock_2_9: a clock that jumps, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { clock_jump = { 1, ms = 600000 } },
  expect  = {
    -- By a clock that is ahead every lease has ended.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2801 },
  },
  must_see = { "clock_jump" },
}
