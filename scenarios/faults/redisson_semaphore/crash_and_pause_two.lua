-- One process dies and one freezes, each at any moment.
return {
  title   = "redisson/semaphore: a crash and a pause, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { crash = 1, pause = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit has no lease and no owner: whoever dies takes his with him.
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 1 },
    no_leak = "violated",
  },
  must_see = { "crash", "pause" },
}
