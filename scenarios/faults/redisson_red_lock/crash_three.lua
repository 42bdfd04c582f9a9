-- One process dies at any moment, with whatever it holds.
return {
  title   = "redisson/red_lock: a crash, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "once" (),
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "crash" },
}
