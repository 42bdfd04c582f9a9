-- One process dies and one freezes, each at any moment.
return {
  title   = "basic/renewed: a crash and a pause, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1, pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A release that stalled with its process can go lost, while the heartbeat, awake again, renews once more.
    prompt = { "violated", idle_ms = 4001 },
  },
  must_see = { "crash", "pause" },
}
