-- Redis forgets its scripts at any moment: it must cost a round trip and nothing else.
return {
  title   = "redis_py/lock: scripts forgotten, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { script_flush = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2201 },
  },
  must_see = { "script_flush" },
}
