-- Any one key vanishes at any moment.
return {
  title   = "redlock of three: an eviction, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { evict = 1 },
  expect  = {
    -- Without its key on one server, that server votes for the next one.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "evict" },
}
