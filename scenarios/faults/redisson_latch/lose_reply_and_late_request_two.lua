-- Any one answer is lost, and any one request is executed after its sender has given up on it.
return {
  title   = "redisson/latch: a lost answer and a late request, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    -- The count is set after the worker has counted down, or by nobody who still waits: it stays.
    no_deadlock = "violated",
    -- A waiter who gets no answer goes away after the time-out, though the latch was open.
    prompt = { "violated", idle_ms = 1 },
    -- The count is set after the worker has counted down, or by nobody who still waits: it stays.
    no_leak = "violated",
  },
  must_see = { "lose_reply", "late_request" },
}
