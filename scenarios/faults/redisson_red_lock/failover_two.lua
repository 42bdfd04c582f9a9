-- The server fails at any moment, and a replica takes over that lacks its latest writes.
return {
  title    = "redisson/red_lock: a failover, two clients",
  replicas = 1,
  servers  = 3,
  clients  = { "A", "B" },
  program  = require "once" (),
  faults   = { failover = 1 },
  expect   = {
    prompt = { "holds", idle_ms = 30001 },
    -- One lock less is one too many where the other client was the first at another server: each has a majority then.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- A lock that was taken first may be gone by the time the last one is taken. Nobody looks: the caller is told that he has a
    -- majority.
    matches_spec = "violated",
  },
  must_see = { "failover" },
}
