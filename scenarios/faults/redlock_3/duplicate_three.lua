-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redlock of three: a doubled request, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "duplicate" },
}
