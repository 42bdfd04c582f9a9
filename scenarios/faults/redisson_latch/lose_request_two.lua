-- Any one request is lost on its way.
return {
  title   = "redisson/latch: a lost request, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { lose_request = 1 },
  expect  = {
    -- A waiter who gets no answer goes away after the time-out, though the latch was open.
    prompt = { "violated", idle_ms = 1 },
    -- A count-down that was lost, or whose sender gave up, is not sent again: the count stays.
    no_deadlock = "violated",
  },
  must_see = { "lose_request" },
}
