-- The server forgets its scripts at any moment.
return {
  title   = "redisson/latch: forgotten scripts, three clients",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program = require "once" (2),
  faults  = { script_flush = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "script_flush" },
}
