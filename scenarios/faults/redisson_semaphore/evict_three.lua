-- Any one key vanishes at any moment.
return {
  title   = "redisson/semaphore: an eviction, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { evict = 1 },
  expect  = {
    -- The pool's key is all there is. The client that comes next sets the full number of permits again, though some are out.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- Whoever has set the permits already, or finds the key gone, waits for a release: no lease and no time-out will end that.
    prompt = { "violated", idle_ms = 1 },
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "evict" },
}
