-- Any one request is executed after its sender gave up.
return {
  title   = "redisson/red_lock: a late request, two clients",
  servers = 3,
  clients = { "A", "B" },
  program = require "once" (),
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "late_request" },
}
