-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/red_lock: an interrupt, two clients",
  servers = 3,
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (),
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "interrupt" },
}
