-- One process freezes and any one message is lost, each at any moment.
return {
  title   = "redisson/fenced: a pause and a lost message, two clients",
  clients = { "A", "B" },
  program = require "once".leased,
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    fencing = "holds",
    prompt = { "holds", idle_ms = 1001 },
  },
  must_see = { "pause", "lose_message" },
}
