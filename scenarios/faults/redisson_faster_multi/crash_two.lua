-- One process dies at any moment, with whatever it holds.
return {
  title   = "redisson/faster_multi: a crash, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "crash" },
}
