-- The server comes back empty, at any moment.
return {
  title   = "redisson/latch: a wiped server, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (1),
  faults  = { wipe = 1 },
  expect  = {
    -- The latch is gone, and nobody tells those who wait for it: a count-down finds nothing to take, and sends no message.
    prompt = { "violated", idle_ms = 1 },
    no_lost_wakeup = "violated",
    no_deadlock = "violated",
  },
  must_see = { "wipe" },
}
