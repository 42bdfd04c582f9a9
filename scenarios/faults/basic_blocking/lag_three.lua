-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "basic/blocking: a lagging replica, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "lag" },
}
