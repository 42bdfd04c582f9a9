-- Redis throws away any one key at any moment.
return {
  title   = "notes/fair: an evicted key, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Once the head of the queue is somebody who has gone, nobody else gets in any more.
    no_deadlock = "violated",
    -- Without the queue its waiters stand nowhere, and nobody lets them in again: only the head may take the lock.
    prompt = { "violated", idle_ms = 30001 },
    -- The order went with the queue.
    fifo = "violated",
    -- Nothing takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- A waiter whose node has vanished enters the queue a second time.
    matches_spec = "violated",
  },
  must_see = { "evict" },
}
