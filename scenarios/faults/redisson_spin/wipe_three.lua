-- Redis starts again with nothing in it, at any moment.
return {
  title   = "redisson/spin: a wiped server, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { wipe = 1 },
  expect  = {
    -- The lock went with the memory, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 1065 },
  },
  must_see = { "wipe" },
}
