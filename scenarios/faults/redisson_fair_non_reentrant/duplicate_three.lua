-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/fair_non_reentrant: a request executed twice, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    fifo = "holds",
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- Behind a head that is gone or asleep a waiter is told to wait 0 ms, and asks without a pause until the head's time is
    -- over.
    no_busy_wait = "violated",
  },
  must_see = { "duplicate" },
}
