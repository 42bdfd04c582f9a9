-- Any one request is executed after its sender gave up.
return {
  title   = "redlock of three: a late request, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "late_request" },
}
