-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "redisson/fair_3_13: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter behind another sleeps until its slot of 330 s is over; only the message wakes it sooner.
    prompt = { "violated", idle_ms = 30001 },
    -- The old self's lock ends without a message: all sleep until their slots are over, and who asks first then drops the
    -- others.
    fifo = "violated",
  },
  must_see = { "restart" },
}
