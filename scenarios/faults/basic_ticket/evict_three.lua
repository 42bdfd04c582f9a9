-- Redis throws away any one key at any moment.
return {
  title   = "basic/ticket: an evicted key, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2501 },
    -- With the numbers the order of asking is lost.
    fifo = "violated",
    -- There is no lease: the key never has a TTL.
    lease_set = "violated",
  },
  must_see = { "evict" },
}
