-- The server comes back empty, at any moment.
return {
  title   = "redisson/faster_multi: a wiped server, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { wipe = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 30001 },
    -- The group's key is all there is.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
  },
  must_see = { "wipe" },
}
