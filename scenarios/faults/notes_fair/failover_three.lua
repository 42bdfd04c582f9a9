-- A replica that missed the last writes takes over at any moment.
return {
  title    = "notes/fair: a failover, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- Once the head of the queue is somebody who has gone, nobody else gets in any more.
    no_deadlock = "violated",
    -- The new server can be one that missed the release, or has heads in its queue that are gone.
    prompt = { "violated", idle_ms = 30001 },
    -- The new server's queue misses the last ones who came.
    fifo = "violated",
  },
  must_see = { "failover" },
}
