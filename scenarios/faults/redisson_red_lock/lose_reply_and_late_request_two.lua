-- One answer is lost, and one request is executed after its sender gave up: of the same client or of two.
return {
  title   = "redisson/red_lock: a lost answer and a late request, two clients",
  servers = 3,
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once" (),
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lose_reply", "late_request" },
}
