-- Redis forgets its scripts at any moment: it must cost a round trip and nothing else.
return {
  title   = "redisson/fair_non_reentrant: scripts forgotten, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { script_flush = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "script_flush" },
}
