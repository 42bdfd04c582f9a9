-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redisson/semaphore: a restart, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit has no lease and no owner: whoever dies takes his with him.
    prompt = { "violated", idle_ms = 1 },
    no_deadlock = "violated",
  },
  must_see = { "restart" },
}
