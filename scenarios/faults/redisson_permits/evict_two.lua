-- Any one key vanishes at any moment.
return {
  title   = "redisson/permits: an eviction, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { evict = 1 },
  expect  = {
    -- The number of permits is set again, or comes back, though some are out.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- Permits whose names are lost come back by nothing, and without a number there are none: no lease ends that.
    prompt = { "violated", idle_ms = 1001 },
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "evict" },
}
