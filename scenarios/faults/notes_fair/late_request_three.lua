-- Any one request is executed after its sender has given up on it.
return {
  title   = "notes/fair: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Once the head of the queue is somebody who has gone, nobody else gets in any more.
    no_deadlock = "violated",
    -- Who died or gave up keeps its place in the queue. Once it is the head, nobody gets in any more.
    prompt = { "violated", idle_ms = 30001 },
    -- A waiter that gives up leaves the queue while it is still counted as waiting: the next one is let in first.
    fifo = "violated",
    -- Nothing takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "late_request" },
}
