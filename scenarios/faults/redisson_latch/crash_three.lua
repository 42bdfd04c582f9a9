-- One process dies at any moment, with whatever it holds.
return {
  title   = "redisson/latch: a crash, three clients",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program = require "once" (2),
  faults  = { crash = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 1 },
    -- A worker that is gone never counts down, and a latch has no lease: whoever waits for it waits for ever.
    no_deadlock = "violated",
  },
  must_see = { "crash" },
}
