-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title    = "basic/confirmed: a pause, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { pause = 1 },
  expect   = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "pause" },
}
