-- One process freezes at any moment and for any time.
return {
  title   = "redisson/permits: a pause, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { pause = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 1001 },
    -- The permit runs out while its owner is frozen, who goes on with it when he wakes.
    strict_mutual_exclusion = "violated",
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "pause" },
}
