-- Any one answer is lost, and any one request is executed after its sender has given up on it.
return {
  title   = "redisson/faster_multi: a lost answer and a late request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lose_reply", "late_request" },
}
