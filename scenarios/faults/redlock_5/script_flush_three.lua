-- The server forgets its scripts at any moment.
return {
  title   = "redlock of five: forgotten scripts, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { script_flush = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "script_flush" },
}
