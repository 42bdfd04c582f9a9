-- Any one answer is lost: the request was executed, and its sender does not know.
return {
  title   = "redisson/semaphore: a lost answer, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit that was taken and never told of, or whose release never ran, is gone for good: there is no lease.
    prompt = { "violated", idle_ms = 1 },
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "lose_reply" },
}
