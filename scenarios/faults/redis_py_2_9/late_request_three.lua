-- Any one request is executed after its sender has given up on it.
return {
  title   = "redis_py/lock_2_9: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    -- A DEL that is executed late deletes the lock of the next one, and a third comes in.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- A waiter whose own request or its answer is gone waits 3 s for it, beside a free lock.
    prompt = { "violated", idle_ms = 2801 },
    -- The key has no TTL: what nobody deletes stays, its instant long past.
    no_leak = "violated",
  },
  must_see = { "late_request" },
}
