-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title   = "redis_py/lock_2_10: a pause, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { pause = 1 },
  end_ms  = 5000,
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2201 },
    -- Such a lock stays.
    no_leak = "violated",
    -- Between the two requests the lock has no end.
    lease_set = "violated",
  },
  must_see = { "pause" },
}
