-- One process freezes at any moment and for any time.
return {
  title   = "redisson/permits: a pause, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { pause = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1001 },
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "pause" },
}
