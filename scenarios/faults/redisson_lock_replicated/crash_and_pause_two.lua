-- One process dies and one freezes, each at any moment.
return {
  title    = "redisson/lock with a replica: a crash and a pause, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { crash = 1, pause = 1 },
  expect   = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A release that stalled with its process can go lost, while the watchdog, awake again, renews the lock once more.
    prompt = { "violated", idle_ms = 30001 },
    -- An acquire that was given up during a pause may run after it was sent again: a hold of which its owner hears nothing.
    matches_spec = "violated",
  },
  must_see = { "crash", "pause" },
}
