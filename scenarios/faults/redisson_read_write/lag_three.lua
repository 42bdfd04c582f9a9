-- The replica falls behind at any moment, which by itself must not matter.
return {
  title    = "redisson/read_write: a lagging replica, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once".one_writer,
  faults   = { lag = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "lag" },
}
