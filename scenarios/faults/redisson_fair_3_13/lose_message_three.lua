-- Any one message is lost: whoever waited for it must find out by itself.
return {
  title   = "redisson/fair_3_13: a lost message, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { lose_message = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter behind another sleeps until its slot of 330 s is over; only the message wakes it sooner.
    prompt = { "violated", idle_ms = 30001 },
    fifo = "holds",
  },
  must_see = { "lose_message" },
}
