-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "notes/fair: a restart, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Once the head of the queue is somebody who has gone, nobody else gets in any more.
    no_deadlock = "violated",
    -- The old self keeps its place in the queue. Once it is the head, nobody gets in any more.
    prompt = { "violated", idle_ms = 30001 },
  },
  must_see = { "restart" },
}
