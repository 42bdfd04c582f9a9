-- Any one request is executed after its sender has given up on it.
return {
  title   = "notes/fair: a late request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Who died or gave up keeps its place in the queue. Once it is the head, nobody gets in any more.
    prompt = { "violated", idle_ms = 30001 },
    -- Nothing takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "late_request" },
}
