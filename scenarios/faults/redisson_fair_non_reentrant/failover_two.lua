-- A replica that missed the last writes takes over at any moment.
return {
  title    = "redisson/fair_non_reentrant: a failover, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once".kept,
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- The new server can have waiters in its queue that have left, and nobody takes them out.
    no_leak = "violated",
    -- A release of a lock that is gone is answered "released", though its owner had lost it.
    matches_spec = "violated",
  },
  must_see = { "failover" },
}
