-- A replica that missed the last writes takes over at any moment.
return {
  title    = "basic/ticket: a failover, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- The new server calls a number again whose owner has left.
    no_deadlock = "violated",
    -- The new server calls a number again whose owner has left.
    prompt = { "violated", idle_ms = 2501 },
    -- With the numbers the order of asking is lost.
    fifo = "violated",
    -- A number that nobody comes for stays.
    no_leak = "violated",
    -- There is no lease: the key never has a TTL.
    lease_set = "violated",
  },
  must_see = { "failover" },
}
