-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redisson/semaphore: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A permit has no lease and no owner: whoever dies takes his with him.
    prompt = { "violated", idle_ms = 1 },
    no_leak = "violated",
  },
  must_see = { "restart" },
}
