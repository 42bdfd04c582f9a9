-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title   = "redisson/fair_non_reentrant: a pause, three clients",
  clients = { "A", "B", "C" },
  program = require "once".leased,
  faults  = { pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- Who died or gave up, or sleeps, is dropped from the head of the queue only when its slot of 300 s is over.
    prompt = { "violated", idle_ms = 1001 },
    -- Whoever sleeps for longer than his slot of 300 s is dropped from the queue, and comes after those who came later.
    fifo = "violated",
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- A release of a lock that is gone is answered "released", though its owner had lost it.
    matches_spec = "violated",
    -- Behind a head that is gone or asleep a waiter is told to wait 0 ms, and asks without a pause until the head's time is over.
    no_busy_wait = "violated",
  },
  must_see = { "pause" },
}
