-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "redis_py/lock_2_10: a clock that jumps, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { clock_jump = { 1, ms = 600000 } },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2201 },
    -- Between the two requests the lock has no end.
    lease_set = "violated",
  },
  must_see = { "clock_jump" },
}
