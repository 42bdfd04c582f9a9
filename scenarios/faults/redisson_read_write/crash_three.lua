-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "redisson/read_write: a crash, three clients",
  clients = { "A", "B", "C" },
  program = require "once".one_writer,
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "crash" },
}
