-- Any one request is executed after its sender has given up on it.
return {
  title   = "redlock of five: a late request, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "late_request" },
}
