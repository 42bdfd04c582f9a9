-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "notes/reentrant: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter asks only every 30 s. In the very millisecond in which the lease ends it asks in vain, and has to wait 30 s more.
    prompt = { "violated", idle_ms = 30001 },
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "restart" },
}
