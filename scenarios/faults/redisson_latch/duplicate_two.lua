-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/latch: a doubled request, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { duplicate = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 1 },
    -- A count that is set once more, after the last count-down, is never counted down.
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "duplicate" },
}
