-- Any one answer is lost, and any one request is executed after its sender has given up on it.
return {
  title   = "basic/blocking: a lost answer and a late request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter whose own request or its answer is gone waits 3 s for it, beside a free lock.
    prompt = { "violated", idle_ms = 2501 },
  },
  must_see = { "lose_reply", "late_request" },
}
