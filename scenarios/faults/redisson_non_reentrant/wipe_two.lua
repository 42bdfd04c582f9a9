-- Redis starts again with nothing in it, at any moment.
return {
  title   = "redisson/non_reentrant: a wiped server, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { wipe = 1 },
  expect  = {
    -- The lock went with the memory, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "wipe" },
}
