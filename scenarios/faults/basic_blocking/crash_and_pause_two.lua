-- One process dies and one freezes, each at any moment.
return {
  title   = "basic/blocking: a crash and a pause, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1, pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "crash", "pause" },
}
