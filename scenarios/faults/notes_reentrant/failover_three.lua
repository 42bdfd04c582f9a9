-- A replica that missed the last writes takes over at any moment.
return {
  title    = "notes/reentrant: a failover, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- The new server can be one that missed the release; and a waiter asks only every 30 s.
    prompt = { "violated", idle_ms = 30001 },
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "failover" },
}
