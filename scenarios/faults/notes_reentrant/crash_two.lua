-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "notes/reentrant: a crash, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter asks only every 30 s. In the very millisecond in which the lease ends it asks in vain, and has to wait 30 s more.
    prompt = { "violated", idle_ms = 30001 },
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "crash" },
}
