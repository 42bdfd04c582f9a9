-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redlock of five: a doubled request, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "duplicate" },
}
