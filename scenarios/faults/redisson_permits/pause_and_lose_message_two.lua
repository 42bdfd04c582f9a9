-- One process freezes and any one message is lost, each at any moment.
return {
  title   = "redisson/permits: a pause and a lost message, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    -- The permit runs out while its owner is frozen, who goes on with it when he wakes.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 1001 },
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "pause", "lose_message" },
}
