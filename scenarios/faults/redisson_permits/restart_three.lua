-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redisson/permits: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1001 },
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "restart" },
}
