-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title    = "redisson/lock with a replica: a pause, three clients",
  replicas = 1,
  -- 10 ms after each other: all at once there are several times as many states.
  clients  = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program  = require "once",
  faults   = { pause = 1 },
  expect   = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A release that stalled with its process can go lost, while the watchdog, awake again, renews the lock once more.
    prompt = { "violated", idle_ms = 30001 },
  },
  must_see = { "pause" },
}
