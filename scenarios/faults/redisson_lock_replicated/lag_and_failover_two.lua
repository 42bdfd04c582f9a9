-- The replica takes over when it had fallen behind.
return {
  title    = "redisson/lock with a replica: a lag and a failover, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { lag = { 1, ms = 1500 }, failover = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lag", "failover" },
}
