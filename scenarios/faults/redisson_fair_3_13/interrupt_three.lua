-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/fair_3_13: an interrupt, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { interrupt = 1 },
  -- What is renewed for nobody outlives every deadline in the queue, which fall ever further behind: that it never ends is for the fair lock of
  -- today to show.
  end_ms  = 100000,
  expect  = {
    strict_mutual_exclusion = "holds",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for a thread that has gone.
    prompt = { "violated", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
