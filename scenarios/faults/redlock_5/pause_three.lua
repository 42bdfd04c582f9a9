-- One process freezes at any moment and for any time.
return {
  title   = "redlock of five: a pause, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "pause" },
}
