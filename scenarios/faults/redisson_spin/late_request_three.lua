-- Any one request is executed after its sender has given up on it.
return {
  title   = "redisson/spin: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A lost answer costs 3 s.
    prompt = { "violated", idle_ms = 1065 },
  },
  must_see = { "late_request" },
}
