-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redisson/faster_multi: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "restart" },
}
