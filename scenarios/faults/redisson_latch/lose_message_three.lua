-- Any one message is lost: whoever waited for it must find out by itself.
return {
  title   = "redisson/latch: a lost message, three clients",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program = require "once" (2),
  faults  = { lose_message = 1 },
  expect  = {
    -- The last count-down is told once. Who misses that waits beside an open latch, and never asks again by himself.
    prompt = { "violated", idle_ms = 1 },
    no_lost_wakeup = "violated",
    no_deadlock = "violated",
  },
  must_see = { "lose_message" },
}
