-- Any one answer is lost, and any one request is executed after its sender has given up on it.
return {
  title   = "redisson/semaphore: a lost answer and a late request, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit that was taken and never told of, or whose release never ran, is gone for good: there is no lease.
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 1 },
    no_leak = "violated",
  },
  must_see = { "lose_reply", "late_request" },
}
