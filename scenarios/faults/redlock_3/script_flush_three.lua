-- The server forgets its scripts at any moment.
return {
  title   = "redlock of three: forgotten scripts, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { script_flush = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "script_flush" },
}
