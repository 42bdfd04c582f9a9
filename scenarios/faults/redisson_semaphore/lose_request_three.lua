-- Any one request is lost on its way.
return {
  title   = "redisson/semaphore: a lost request, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit that was taken and never told of, or whose release never ran, is gone for good: there is no lease.
    prompt = { "violated", idle_ms = 1 },
    no_leak = "violated",
  },
  must_see = { "lose_request" },
}
