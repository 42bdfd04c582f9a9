-- Any one request is executed after its sender gave up.
return {
  title   = "redisson/faster_multi: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "late_request" },
}
