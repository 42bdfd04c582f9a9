-- Any one request is lost on its way.
return {
  title   = "redisson/multi: a lost request, two clients",
  servers = 2,
  clients = { "A", "B" },
  program = require "once" (),
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- unlock stops at the first lock that says no; those after it stay, and their watchdog renews them.
    no_leak = "violated",
  },
  must_see = { "lose_request" },
}
