-- One process dies and one freezes, each at any moment.
return {
  title   = "redis_py/lock_2_10: a crash and a pause, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1, pause = 1 },
  end_ms  = 5000,
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- Whoever stops, or is not heard, between SETNX and PEXPIRE leaves a lock without an end.
    prompt = { "violated", idle_ms = 2201 },
    -- Such a lock stays.
    no_leak = "violated",
    -- Between the two requests the lock has no end.
    lease_set = "violated",
  },
  must_see = { "crash", "pause" },
}
