-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/faster_multi: a doubled request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A value that is taken in the last millisecond of the group's life goes with it: no TTL is set then.
    lease_set = "violated",
  },
  must_see = { "duplicate" },
}
