-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "redisson/fair_3_13: a restart, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter behind another sleeps until its slot of 330 s is over; only the message wakes it sooner.
    prompt = { "violated", idle_ms = 30001 },
  },
  must_see = { "restart" },
}
