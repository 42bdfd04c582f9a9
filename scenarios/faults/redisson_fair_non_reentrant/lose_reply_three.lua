-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title   = "redisson/fair_non_reentrant: a lost answer, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Who died or gave up is dropped from the head of the queue only when its slot of 300 s is over.
    prompt = { "violated", idle_ms = 30001 },
    fifo = "holds",
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- Behind a head that is gone or asleep a waiter is told to wait 0 ms, and asks without a pause until the head's time is
    -- over.
    no_busy_wait = "violated",
  },
  must_see = { "lose_reply" },
}
