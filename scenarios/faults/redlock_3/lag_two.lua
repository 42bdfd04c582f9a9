-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "redlock of three: a lagging replica, two clients",
  servers  = 3,
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "lag" },
}
