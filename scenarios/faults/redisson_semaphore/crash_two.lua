-- One process dies at any moment, with whatever it holds.
return {
  title   = "redisson/semaphore: a crash, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit has no lease and no owner: whoever dies takes his with him.
    prompt = { "violated", idle_ms = 1 },
    no_deadlock = "violated",
    no_leak = "violated",
  },
  must_see = { "crash" },
}
