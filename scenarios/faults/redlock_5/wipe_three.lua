-- Redis starts again with nothing in it, at any moment.
return {
  title   = "redlock of five: a wiped server, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { wipe = 1 },
  expect  = {
    -- One server that starts again empty is enough: it votes for the next one.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "wipe" },
}
