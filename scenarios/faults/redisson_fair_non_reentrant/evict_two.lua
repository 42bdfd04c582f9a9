-- Redis throws away any one key at any moment.
return {
  title   = "redisson/fair_non_reentrant: an eviction, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- A queue entry without its deadline is never dropped.
    no_leak = "violated",
    -- A waiter whose deadline has vanished is taken for a newcomer; and a lock that has vanished is answered "released".
    matches_spec = "violated",
  },
  must_see = { "evict" },
}
