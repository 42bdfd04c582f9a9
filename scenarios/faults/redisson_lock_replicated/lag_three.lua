-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "redisson/lock with a replica: a lagging replica, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { lag = { 1, ms = 400 } },            -- with the second that a WAIT waits, and more, the world would be ten times as large
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lag" },
}
