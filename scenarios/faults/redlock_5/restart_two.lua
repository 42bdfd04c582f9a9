-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redlock of five: a restart, two clients",
  servers = 5,
  clients = { "A", "B" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "restart" },
}
