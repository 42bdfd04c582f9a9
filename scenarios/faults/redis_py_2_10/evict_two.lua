-- Redis throws away any one key at any moment.
return {
  title   = "redis_py/lock_2_10: an evicted key, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
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
  must_see = { "evict" },
}
