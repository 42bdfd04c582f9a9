-- Any one answer is lost, and any one request is executed after its sender has given up on it.
return {
  title   = "redisson/permits: a lost answer and a late request, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A request is given up after three seconds, and a permit is out meanwhile of which nobody knows.
    prompt = { "violated", idle_ms = 1001 },
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "lose_reply", "late_request" },
}
