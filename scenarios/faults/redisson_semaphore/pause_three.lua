-- One process freezes at any moment and for any time.
return {
  title   = "redisson/semaphore: a pause, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { pause = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1 },
    -- A permit that was taken and never told of, or whose release never ran, is gone for good: there is no lease.
    no_leak = "violated",
  },
  must_see = { "pause" },
}
