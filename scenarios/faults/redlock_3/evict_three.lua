-- Redis throws away any one key at any moment.
return {
  title   = "redlock of three: an evicted key, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { evict = 1 },
  end_ms  = 1500,
  expect  = {
    -- Without its key on one server, that server votes for the next one.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "evict" },
}
