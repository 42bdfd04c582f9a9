-- Any one request comes late, after it was sent again.
return {
  title    = "redisson/lock with a replica: a late request, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { late_request = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "late_request", "resend" },
}
