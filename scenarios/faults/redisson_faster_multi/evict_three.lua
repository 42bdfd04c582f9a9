-- Any one key vanishes at any moment.
return {
  title   = "redisson/faster_multi: an eviction, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 30001 },
    -- The group's key is all there is.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
  },
  must_see = { "evict" },
}
