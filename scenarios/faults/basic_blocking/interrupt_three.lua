-- One waiting thread is interrupted, at any moment.
return {
  title   = "basic/blocking: an interrupt, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A lease that ends leaves no sign: whoever waits at the server hears of it only when that wait is over, and may be second then.
    prompt = { "holds", idle_ms = 4501 },
  },
  must_see = { "interrupt" },
}
