-- Redis starts again with nothing in it, at any moment.
return {
  title   = "redisson/read_write: a wiped server, three clients",
  clients = { "A", "B", "C" },
  program = require "once".one_writer,
  faults  = { wipe = 1 },
  expect  = {
    -- The lock went with the memory, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "wipe" },
}
