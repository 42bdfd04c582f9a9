-- Any one request is executed after its sender has given up on it.
return {
  title   = "basic/blocking: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter whose own request or its answer is gone waits 3 s for it, beside a free lock.
    prompt = { "violated", idle_ms = 2501 },
  },
  must_see = { "late_request" },
}
