-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/fenced: an interrupt, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A token that is granted after its caller was interrupted is given back at once.
    prompt = { "holds", idle_ms = 30001 },
    fencing = "holds",
    no_deadlock = "holds",
    no_leak = "holds",
  },
  must_see = { "interrupt" },
}
