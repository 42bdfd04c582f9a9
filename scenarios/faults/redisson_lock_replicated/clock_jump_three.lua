-- The clock of one process jumps ten minutes ahead, at any moment.
return {
  title    = "redisson/lock with a replica: a clock that jumps, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { clock_jump = { 1, ms = 600000 } },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "clock_jump" },
}
