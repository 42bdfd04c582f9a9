-- The server fails at any moment, and a replica takes over that lacks its latest writes.
return {
  title    = "redlock of three: a failover, three clients",
  replicas = 1,
  servers  = 3,
  clients  = { "A", "B", "C" },
  program  = require "twice",
  faults   = { failover = 1 },
  expect   = {
    -- One server whose replica never heard of the vote is enough: it votes again, for the next one.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "failover" },
}
