-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "redis_py/lock: a crash, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2201 },
  },
  must_see = { "crash" },
}
