-- One answer is lost, and one request is executed after its sender gave up: of the same client or of two.
return {
  title   = "redlock of five: a lost answer and a late request, two clients",
  servers = 5,
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "lose_reply", "late_request" },
}
