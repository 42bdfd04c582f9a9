-- Any one answer is lost, and any one request is executed after its sender has given up on it.
return {
  title   = "redisson/fair_3_13: a lost answer and a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter that asks when its turn by the clock is over, and the lock is not free, is told to wait -1 ms, and parks without
    -- limit.
    no_lost_wakeup = "violated",
    no_deadlock = "violated",
    -- Who died or gave up is dropped from the head of the queue only when its slot of 300 s is over.
    prompt = { "violated", idle_ms = 30001 },
    fifo = "holds",
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "lose_reply", "late_request" },
}
