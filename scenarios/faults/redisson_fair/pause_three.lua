-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title   = "redisson/fair: a pause, three clients",
  -- 10 ms after each other: all at once there are several times as many states.
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = require "once",
  faults  = { pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A release that stalled with its process can go lost, while the watchdog, awake again, renews the lock once more.
    prompt = { "violated", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- A release of a lock that is gone is answered "released", though its owner had lost it.
    matches_spec = "violated",
    -- Behind a head that is gone or asleep a waiter is told to wait 0 ms, and asks without a pause until the head's time is
    -- over.
    no_busy_wait = "violated",
  },
  must_see = { "pause" },
}
