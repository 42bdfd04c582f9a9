-- A replica that missed the last writes takes over at any moment.
return {
  title    = "redisson/fenced: a failover, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once".kept,
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- The new server has an older counter, and gives the same token again.
    fencing = "violated",
  },
  must_see = { "failover" },
}
