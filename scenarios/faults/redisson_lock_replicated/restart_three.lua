-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title    = "redisson/lock with a replica: a restart, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { restart = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "restart" },
}
