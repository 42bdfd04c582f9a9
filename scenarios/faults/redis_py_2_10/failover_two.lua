-- A replica that missed the last writes takes over at any moment.
return {
  title    = "redis_py/lock_2_10: a failover, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- PEXPIRE does not ask whose lock it is.
    owner_only = "violated",
    prompt = { "holds", idle_ms = 2201 },
    -- Between the two requests the lock has no end.
    lease_set = "violated",
    -- Whose lock vanished between the two requests goes on as if he had it.
    matches_spec = "violated",
  },
  must_see = { "failover" },
}
