-- One process freezes and any one message is lost, each at any moment.
return {
  title   = "redisson/fair_3_13: a pause and a lost message, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A waiter that asks when its turn by the clock is over, and the lock is not free, is told to wait -1 ms, and parks without
    -- limit.
    no_lost_wakeup = "violated",
    no_deadlock = "violated",
    -- A release that stalled with its process can go lost, while the watchdog, awake again, renews the lock once more.
    prompt = { "violated", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- A release of a lock that is gone is answered "released", though its owner had lost it.
    matches_spec = "violated",
  },
  must_see = { "pause", "lose_message" },
}
