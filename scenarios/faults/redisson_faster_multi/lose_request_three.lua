-- Any one request is lost on its way.
return {
  title   = "redisson/faster_multi: a lost request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A release that stalled with its process, or was never answered, leaves the values with a thread that has gone, renewed by the
    -- watchdog.
    no_leak = "violated",
  },
  must_see = { "lose_request" },
}
