-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "redisson/fenced: a crash, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    fencing = "holds",
  },
  must_see = { "crash" },
}
