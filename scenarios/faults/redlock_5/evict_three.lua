-- Redis throws away any one key at any moment.
return {
  title   = "redlock of five: an evicted key, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    -- Without its key on one server, that server votes for the next one.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "evict" },
}
