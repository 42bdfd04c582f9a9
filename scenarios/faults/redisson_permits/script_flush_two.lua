-- The server forgets its scripts at any moment.
return {
  title   = "redisson/permits: forgotten scripts, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { script_flush = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1001 },
  },
  must_see = { "script_flush" },
}
