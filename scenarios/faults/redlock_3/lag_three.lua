-- The replica falls behind at any moment.
return {
  title    = "redlock of three: a lagging replica, three clients",
  replicas = 1,
  servers  = 3,
  clients  = { "A", "B", "C" },
  program  = require "twice",
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "lag" },
}
