-- Redis throws away any one key at any moment.
return {
  title    = "redisson/lock with a replica: an evicted key, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { evict = 1 },
  expect   = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "evict" },
}
