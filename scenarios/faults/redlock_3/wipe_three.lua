-- The server comes back empty, at any moment.
return {
  title   = "redlock of three: a wiped server, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { wipe = 1 },
  expect  = {
    -- One server that starts again empty is enough: it votes for the next one.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "wipe" },
}
