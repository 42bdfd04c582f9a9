-- The replica takes over at any moment: it has confirmed every lock that anybody believes to hold.
return {
  title    = "redisson/lock with a replica: a failover, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "failover" },
}
