-- Any one request is executed after its sender has given up on it.
return {
  title    = "redisson/lock with a replica: a late request, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { late_request = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "late_request" },
}
