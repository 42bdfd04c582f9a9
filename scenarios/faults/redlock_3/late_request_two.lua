-- Any one request is executed after its sender has given up on it.
return {
  title   = "redlock of three: a late request, two clients",
  servers = 3,
  clients = { "A", "B" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "late_request" },
}
