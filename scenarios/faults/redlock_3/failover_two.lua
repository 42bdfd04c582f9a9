-- A replica that missed the last writes takes over at any moment.
return {
  title    = "redlock of three: a failover, two clients",
  servers  = 3,
  replicas = 1,
  clients  = { "A", "B" },
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
