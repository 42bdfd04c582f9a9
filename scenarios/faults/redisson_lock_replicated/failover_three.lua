-- A replica that missed the last writes takes over at any moment.
return {
  title    = "redisson/lock with a replica: a failover, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "failover" },
}
