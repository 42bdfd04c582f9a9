-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "redisson/non_reentrant: a lagging replica, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once".kept,
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lag" },
}
