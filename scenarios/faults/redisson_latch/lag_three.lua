-- The replica falls behind at any moment.
return {
  title    = "redisson/latch: a lagging replica, three clients",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program  = require "once" (2),
  faults   = { lag = 1 },
  expect   = {
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "lag" },
}
