-- One process freezes and any one message is lost, each at any moment.
return {
  title   = "redisson/read_write: a pause and a lost message, two clients",
  clients = { "A", "B" },
  program = require "once".one_writer,
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A release that stalled with its process can go lost, while the watchdog, awake again, renews the lock once more.
    prompt = { "violated", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "pause", "lose_message" },
}
