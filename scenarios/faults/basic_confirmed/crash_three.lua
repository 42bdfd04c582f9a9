-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title    = "basic/confirmed: a crash, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { crash = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "crash" },
}
