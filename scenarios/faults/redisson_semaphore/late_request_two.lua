-- Any one request is executed after its sender gave up.
return {
  title   = "redisson/semaphore: a late request, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit that was taken and never told of, or whose release never ran, is gone for good: there is no lease.
    prompt = { "violated", idle_ms = 1 },
    no_leak = "violated",
  },
  must_see = { "late_request" },
}
