-- Redis throws away any one key at any moment.
return {
  title   = "basic/blocking: an evicted key, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- A lease that ends leaves no sign: whoever waits at the server hears of it only when that wait is over, and may be second then.
    prompt = { "holds", idle_ms = 4501 },
  },
  must_see = { "evict" },
}
