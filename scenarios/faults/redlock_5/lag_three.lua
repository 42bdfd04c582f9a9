-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "redlock of five: a lagging replica, three clients",
  servers  = 5,
  replicas = 1,
  clients  = { "A", "B", { "C", start_ms = 10 } },
  program  = require "once",
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "lag" },
}
