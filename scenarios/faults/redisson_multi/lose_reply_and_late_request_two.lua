-- One answer is lost, and one request is executed after its sender gave up: of the same client or of two.
return {
  title   = "redisson/multi: a lost answer and a late request, two clients",
  servers = 2,
  clients = { "A", "B" },
  program = require "once" (),
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- unlock stops at the first lock that says no; those after it stay, and their watchdog renews them.
    no_leak = "violated",
  },
  must_see = { "lose_reply", "late_request" },
}
