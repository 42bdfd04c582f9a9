-- Any one answer is lost, and any one request is executed after its sender has given up on it.
return {
  title   = "redisson/fenced: a lost answer and a late request, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A lost answer costs 3 s, on top of what a lease can still run.
    prompt = { "violated", idle_ms = 30001 },
    fencing = "holds",
  },
  must_see = { "lose_reply", "late_request" },
}
