-- Any one message is lost: whoever waited for it must find out by itself.
return {
  title   = "redisson/semaphore: a lost message, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { lose_message = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Nobody asks again by himself: a waiter whose message is lost waits until the next release.
    prompt = { "violated", idle_ms = 1 },
    no_lost_wakeup = "violated",
    no_deadlock = "violated",
  },
  must_see = { "lose_message" },
}
