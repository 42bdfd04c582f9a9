-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/permits: an interrupt, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1001 },
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
