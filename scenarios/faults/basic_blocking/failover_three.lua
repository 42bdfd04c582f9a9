-- A replica that missed the last writes takes over at any moment.
return {
  title    = "basic/blocking: a failover, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "failover" },
}
