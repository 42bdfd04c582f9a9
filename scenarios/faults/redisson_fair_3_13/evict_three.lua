-- Redis throws away any one key at any moment.
return {
  title   = "redisson/fair_3_13: an evicted key, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { evict = 1 },
  expect  = {
    -- Without its key the lock is free, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- A waiter behind another sleeps until its slot of 330 s is over; only the message wakes it sooner.
    prompt = { "violated", idle_ms = 30001 },
    -- The order went with the queue.
    fifo = "violated",
    -- A queue entry without its deadline is never dropped.
    no_leak = "violated",
    -- A waiter whose deadline has vanished is taken for a newcomer; and a lock that has vanished is answered "released".
    matches_spec = "violated",
    -- Where a waiter's deadline has vanished the script compares nil with a number.
    script_health = "violated",
  },
  must_see = { "evict" },
}
