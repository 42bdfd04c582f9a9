-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/fair_3_13: a doubled request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter that asks when its turn by the clock is over, and the lock is not free, is told to wait -1 ms, and parks without
    -- limit.
    no_lost_wakeup = "violated",
    no_deadlock = "violated",
    -- A waiter that is parked for ever (below) is not there when the lock comes free.
    prompt = { "violated", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- The copy of an acquire is a hold of which its owner hears nothing; and a release whose copy came first is answered "not
    -- the owner".
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
