-- The server fails at any moment, and a replica takes over that lacks its latest writes.
return {
  title    = "redisson/faster_multi: a failover, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    prompt = { "holds", idle_ms = 30001 },
    -- The group's key is all there is.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- A value that is taken in the last millisecond of the group's life goes with it: no TTL is set then.
    lease_set = "violated",
  },
  must_see = { "failover" },
}
