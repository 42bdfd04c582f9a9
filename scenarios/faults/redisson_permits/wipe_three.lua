-- The server comes back empty, at any moment.
return {
  title   = "redisson/permits: a wiped server, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { wipe = 1 },
  expect  = {
    -- The number of permits is set again, or comes back, though some are out.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- Permits whose names are lost come back by nothing, and without a number there are none: no lease ends that.
    prompt = { "violated", idle_ms = 1001 },
    no_deadlock = "violated",
  },
  must_see = { "wipe" },
}
