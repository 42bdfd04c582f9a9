-- Redis throws away any one key at any moment.
return {
  title   = "redisson/fair_non_reentrant: an eviction, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- A waiter whose deadline has vanished is never dropped; one whose queue has vanished waits for its own time to ask.
    prompt = { "violated", idle_ms = 30001 },
    -- The order went with the queue.
    fifo = "violated",
    -- A queue entry without its deadline is never dropped: once it is the head, nobody else gets in any more.
    no_deadlock = "violated",
    -- A queue entry without its deadline is never dropped.
    no_leak = "violated",
    -- A waiter whose deadline has vanished is taken for a newcomer; and a lock that has vanished is answered "released".
    matches_spec = "violated",
    -- Behind a head that is gone or asleep a waiter is told to wait 0 ms, and asks without a pause until the head's time is
    -- over.
    no_busy_wait = "violated",
  },
  must_see = { "evict" },
}
