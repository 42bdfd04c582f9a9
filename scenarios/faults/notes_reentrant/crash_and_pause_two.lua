-- One process dies and one freezes, each at any moment.
return {
  title   = "notes/reentrant: a crash and a pause, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1, pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A waiter asks only every 30 s. In the very millisecond in which the lease ends it asks in vain, and has to wait 30 s more.
    prompt = { "violated", idle_ms = 30001 },
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "crash", "pause" },
}
