-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "redisson/fenced: a lagging replica, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once".kept,
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    fencing = "holds",
  },
  must_see = { "lag" },
}
