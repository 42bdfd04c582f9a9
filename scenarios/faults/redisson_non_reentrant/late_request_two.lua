-- Any one request is executed after its sender has given up on it.
return {
  title   = "redisson/non_reentrant: a late request, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "late_request" },
}
