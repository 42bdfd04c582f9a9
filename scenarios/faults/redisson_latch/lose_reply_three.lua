-- Any one answer is lost: the request was executed, and its sender does not know.
return {
  title   = "redisson/latch: a lost answer, three clients",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program = require "once" (2),
  faults  = { lose_reply = 1 },
  expect  = {
    -- A waiter who gets no answer goes away after the time-out, though the latch was open.
    prompt = { "violated", idle_ms = 1 },
  },
  must_see = { "lose_reply" },
}
