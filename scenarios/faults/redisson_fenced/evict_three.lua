-- Redis throws away any one key at any moment.
return {
  title   = "redisson/fenced: an eviction, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- The counter of tokens begins again.
    fencing = "violated",
  },
  must_see = { "evict" },
}
