-- The server fails at any moment, and a replica takes over that lacks its latest writes.
return {
  title    = "redisson/red_lock: a failover, two clients",
  replicas = 1,
  servers  = 3,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = require "once" (),
  faults   = { failover = 1 },
  expect   = {
    prompt = { "holds", idle_ms = 30001 },
    -- One lock less is one too many where the other client was the first at another server: each has a majority then.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
  },
  must_see = { "failover" },
}
