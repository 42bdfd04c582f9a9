-- Any one request is executed after its sender gave up.
return {
  title   = "redisson/latch: a late request, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { late_request = 1 },
  expect  = {
    -- A waiter's request that was held up tells nobody that the latch is open: he goes on waiting for its answer.
    prompt = { "violated", idle_ms = 1 },
    -- The count is set after the worker has counted down, or by nobody who still waits: it stays.
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "late_request" },
}
