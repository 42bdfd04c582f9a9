-- One process dies at any moment, with whatever it holds.
return {
  title   = "redlock of three: a crash, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "crash" },
}
