-- Any one request is executed after its sender has given up on it.
return {
  title   = "redisson/fair_3_13: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Who died or gave up is dropped from the head of the queue only when its slot of 300 s is over.
    prompt = { "violated", idle_ms = 30001 },
    fifo = "holds",
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "late_request" },
}
