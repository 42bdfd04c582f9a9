-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "redis_py/lock_2_10: a lagging replica, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2201 },
    -- Between the two requests the lock has no end.
    lease_set = "violated",
  },
  must_see = { "lag" },
}
