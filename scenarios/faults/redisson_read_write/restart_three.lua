-- One process starts again at any moment, under a new name: its old self is dead, and must not stand in its own way.
return {
  title   = "redisson/read_write: a restart, three clients",
  clients = { "A", "B", "C" },
  program = require "once".one_writer,
  faults  = { restart = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "restart" },
}
