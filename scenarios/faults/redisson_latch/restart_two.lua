-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redisson/latch: a restart, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { restart = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 1 },
    -- A worker that is gone never counts down, and a latch has no lease: whoever waits for it waits for ever.
    no_deadlock = "violated",
  },
  must_see = { "restart" },
}
