-- Redis forgets its scripts at any moment: it must cost a round trip and nothing else.
return {
  title    = "redisson/lock with a replica: scripts forgotten, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { script_flush = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "script_flush" },
}
