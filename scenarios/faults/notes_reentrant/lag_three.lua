-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "notes/reentrant: a lagging replica, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "lag" },
}
