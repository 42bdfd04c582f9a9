-- One answer is lost, and one request is executed after its sender gave up: of the same client or of two.
return {
  title   = "redisson/faster_multi: a lost answer and a late request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A request counts by its sender's clock when it was sent: one that was on its way when the time ran out is answered as if it had not.
    matches_spec = "violated",
  },
  must_see = { "lose_reply", "late_request" },
}
