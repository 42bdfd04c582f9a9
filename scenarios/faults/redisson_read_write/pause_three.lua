-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title   = "redisson/read_write: a pause, three clients",
  clients = { "A", "B", "C" },
  program = require "once".one_writer,
  faults  = { pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A release that stalled with its process can go lost, while the watchdog, awake again, renews the lock once more.
    prompt = { "violated", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "pause" },
}
