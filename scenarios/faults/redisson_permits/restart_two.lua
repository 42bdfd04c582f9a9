-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redisson/permits: a restart, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1001 },
  },
  must_see = { "restart" },
}
