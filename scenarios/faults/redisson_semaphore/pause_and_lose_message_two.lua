-- One process freezes and any one message is lost, each at any moment.
return {
  title   = "redisson/semaphore: a pause and a lost message, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Nobody asks again by himself: a waiter whose message is lost waits until the next release.
    no_lost_wakeup = "violated",
    -- A permit that was taken and never told of, or whose release never ran, is gone for good: there is no lease.
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 1 },
    no_leak = "violated",
  },
  must_see = { "pause", "lose_message" },
}
