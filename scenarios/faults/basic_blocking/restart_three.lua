-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "basic/blocking: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "restart" },
}
