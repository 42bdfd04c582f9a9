-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "redisson/read_write: a restart, two clients",
  clients = { "A", "B" },
  program = require "once".any_side,
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "restart" },
}
