-- Any one request is lost on its way.
return {
  title   = "redisson/red_lock: a lost request, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "once" (),
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lose_request" },
}
