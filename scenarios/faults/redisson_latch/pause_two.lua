-- One process freezes at any moment and for any time.
return {
  title   = "redisson/latch: a pause, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { pause = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 1 },
    -- The count is set after the worker has counted down, or by nobody who still waits: it stays.
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "pause" },
}
