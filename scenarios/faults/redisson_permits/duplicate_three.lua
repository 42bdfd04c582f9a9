-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/permits: a doubled request, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1001 },
    -- An acquire that runs twice takes the permit the first time and is refused the second; which answer comes first is open.
    no_leak = "violated",
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
