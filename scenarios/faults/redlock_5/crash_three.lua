-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "redlock of five: a crash, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "crash" },
}
