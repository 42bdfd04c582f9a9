-- Redis throws away any one key at any moment.
return {
  title   = "notes/reentrant: an evicted key, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "evict" },
}
