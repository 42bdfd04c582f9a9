-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "basic/ticket: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Nobody calls the next number in the place of one who has gone.
    no_deadlock = "violated",
    -- Whoever comes behind one who has gone, or stands still, is not called.
    prompt = { "violated", idle_ms = 2501 },
    fifo = "holds",
    -- There is no lease: the key never has a TTL.
    lease_set = "violated",
  },
  must_see = { "restart" },
}
