-- The replica falls behind at any moment.
return {
  title    = "redisson/permits: a lagging replica, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once" (1),
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1001 },
  },
  must_see = { "lag" },
}
