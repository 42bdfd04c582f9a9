-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/multi: a doubled request, two clients",
  servers = 2,
  clients = { "A", "B" },
  program = require "once" (),
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "duplicate" },
}
