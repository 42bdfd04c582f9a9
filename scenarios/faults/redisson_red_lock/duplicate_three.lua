-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/red_lock: a doubled request, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "once" (),
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "duplicate" },
}
