-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title   = "basic/blocking: a lost request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter whose own request or its answer is gone waits 3 s for it, beside a free lock.
    prompt = { "violated", idle_ms = 2501 },
  },
  must_see = { "lose_request" },
}
