-- The server fails at any moment, and a replica takes over that lacks its latest writes.
return {
  title    = "redisson/permits: a failover, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once" (2),
  faults   = { failover = 1 },
  expect   = {
    -- The number of permits is set again, or comes back, though some are out.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- Permits whose names are lost come back by nothing, and without a number there are none: no lease ends that.
    prompt = { "violated", idle_ms = 1001 },
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "failover" },
}
