-- Redis forgets its scripts at any moment: it must cost a round trip and nothing else.
return {
  title   = "redisson/read_write: scripts forgotten, three clients",
  clients = { "A", "B", "C" },
  program = require "once".one_writer,
  faults  = { script_flush = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "script_flush" },
}
