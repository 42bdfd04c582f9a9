-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title   = "notes/reentrant: a clock that jumps, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { clock_jump = { 1, ms = 600000 } },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "clock_jump" },
}
