-- Any one answer is lost, and any one request is executed after its sender has given up on it.
return {
  title   = "redisson/fair_non_reentrant: a lost answer and a late request, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Who died or gave up is dropped from the head of the queue only when its slot of 300 s is over.
    prompt = { "violated", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "lose_reply", "late_request" },
}
