-- Redis throws away any one key at any moment.
return {
  title   = "basic/fenced: an evicted key, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- The counter is gone, too: the next holder gets a number that is not greater.
    fencing = "violated",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "evict" },
}
