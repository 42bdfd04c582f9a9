-- The server forgets its scripts at any moment.
return {
  title   = "redisson/faster_multi: forgotten scripts, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { script_flush = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "script_flush" },
}
