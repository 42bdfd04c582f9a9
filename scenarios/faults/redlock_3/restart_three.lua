-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redlock of three: a restart, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "restart" },
}
