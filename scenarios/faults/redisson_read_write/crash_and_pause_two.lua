-- One process dies and one freezes, each at any moment.
return {
  title   = "redisson/read_write: a crash and a pause, two clients",
  clients = { "A", "B" },
  program = require "once".one_writer,
  faults  = { crash = 1, pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A release that stalled with its process can go lost, while the watchdog, awake again, renews the lock once more.
    prompt = { "violated", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "crash", "pause" },
}
