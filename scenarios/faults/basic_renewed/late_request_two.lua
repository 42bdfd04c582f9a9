-- Any one request is executed after its sender has given up on it.
return {
  title   = "basic/renewed: a late request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A release that is not heard, or too late, leaves the heartbeat on for the 3 s of its time-out, and then there is a lease
    -- to wait for.
    prompt = { "violated", idle_ms = 4001 },
  },
  must_see = { "late_request" },
}
