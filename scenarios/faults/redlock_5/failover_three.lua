-- The server fails at any moment, and a replica takes over that lacks its latest writes.
return {
  title    = "redlock of five: a failover, three clients",
  replicas = 1,
  servers  = 5,
  clients  = { "A", "B", { "C", start_ms = 10 } },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    -- One server whose replica never heard of the vote is enough: it votes again, for the next one.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "failover" },
}
