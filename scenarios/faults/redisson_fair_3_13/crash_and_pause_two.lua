-- One process dies and one freezes, each at any moment.
return {
  title   = "redisson/fair_3_13: a crash and a pause, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1, pause = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A waiter that asks when its turn by the clock is over, and the lock is not free, is told to wait -1 ms, and parks without
    -- limit.
    no_lost_wakeup = "violated",
    no_deadlock = "violated",
    -- A waiter that is parked for ever (below) is not there when the lock comes free.
    prompt = { "violated", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- A release of a lock that is gone is answered "released", though its owner had lost it.
    matches_spec = "violated",
  },
  must_see = { "crash", "pause" },
}
