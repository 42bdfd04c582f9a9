-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "notes/fair: a doubled request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Once the head of the queue is somebody who has gone, nobody else gets in any more.
    no_deadlock = "violated",
    -- Who died or gave up keeps its place in the queue. Once it is the head, nobody gets in any more.
    prompt = { "violated", idle_ms = 30001 },
    fifo = "holds",
    -- Nothing takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- The copy of an acquire is a hold of which its owner hears nothing; and a release whose copy came first is answered "not
    -- the owner".
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
