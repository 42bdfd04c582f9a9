-- Redis throws away any one key at any moment.
return {
  title   = "redisson/read_write: an eviction, two clients",
  clients = { "A", "B" },
  program = require "once".any_side,
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- Without its timeout key a reader is taken for gone: the next one who gives his hold back takes away both.
    owner_only = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "evict" },
}
