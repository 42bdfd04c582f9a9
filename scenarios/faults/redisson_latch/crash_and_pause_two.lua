-- One process dies and one freezes, each at any moment.
return {
  title   = "redisson/latch: a crash and a pause, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { crash = 1, pause = 1 },
  expect  = {
    -- A worker that is gone never counts down, and a latch has no lease: whoever waits for it waits for ever.
    no_deadlock = "violated",
    prompt = { "holds", idle_ms = 1 },
    -- The count is set after the worker has counted down, or by nobody who still waits: it stays.
    no_leak = "violated",
  },
  must_see = { "crash", "pause" },
}
