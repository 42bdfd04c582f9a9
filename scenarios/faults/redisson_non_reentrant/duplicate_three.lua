-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/non_reentrant: a request executed twice, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "duplicate" },
}
