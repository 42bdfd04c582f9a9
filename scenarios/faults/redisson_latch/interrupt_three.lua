-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/latch: an interrupt, three clients",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program = require "once" (2),
  faults  = { interrupt = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 1 },
    -- The count is set after the worker has counted down, or by nobody who still waits: it stays.
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
