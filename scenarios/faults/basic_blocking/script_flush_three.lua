-- Redis forgets its scripts at any moment: it must cost a round trip and nothing else.
return {
  title   = "basic/blocking: scripts forgotten, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { script_flush = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "script_flush" },
}
