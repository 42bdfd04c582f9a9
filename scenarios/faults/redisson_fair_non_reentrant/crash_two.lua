-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "redisson/fair_non_reentrant: a crash, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "crash" },
}
