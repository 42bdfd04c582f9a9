-- One waiting thread is interrupted, at any moment.
return {
  title   = "simple/string: an interrupt, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter whose own request or its answer is gone waits 3 s for it, beside a free lock.
    prompt = { "violated", idle_ms = 2251 },
  },
  must_see = { "interrupt" },
}
