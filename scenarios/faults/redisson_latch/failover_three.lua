-- The server fails at any moment, and a replica takes over that lacks its latest writes.
return {
  title    = "redisson/latch: a failover, three clients",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program  = require "once" (2),
  faults   = { failover = 1 },
  expect   = {
    -- The latch is gone, and nobody tells those who wait for it: a count-down finds nothing to take, and sends no message.
    prompt = { "violated", idle_ms = 1 },
    no_lost_wakeup = "violated",
    no_deadlock = "violated",
    -- The replica has not seen the last count-down, and nobody will count again.
    no_leak = "violated",
    -- The gate was opened, and the replica still has a count: who waits asks again and again, and nothing ever closes the gate.
    no_busy_wait = "violated",
  },
  must_see = { "failover" },
}
