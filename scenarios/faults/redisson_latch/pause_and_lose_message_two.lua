-- One process freezes and any one message is lost, each at any moment.
return {
  title   = "redisson/latch: a pause and a lost message, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    -- The last count-down is told once. Who misses that waits beside an open latch, and never asks again by himself.
    no_lost_wakeup = "violated",
    -- The count is set after the worker has counted down, or by nobody who still waits: it stays.
    no_deadlock = "violated",
    -- The last count-down is told once. Who misses that waits beside an open latch, and never asks again by himself.
    prompt = { "violated", idle_ms = 1 },
    -- The count is set after the worker has counted down, or by nobody who still waits: it stays.
    no_leak = "violated",
  },
  must_see = { "pause", "lose_message" },
}
