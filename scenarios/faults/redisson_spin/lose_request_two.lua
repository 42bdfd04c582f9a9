-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title   = "redisson/spin: a lost request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A lost answer costs 3 s.
    prompt = { "violated", idle_ms = 1065 },
  },
  must_see = { "lose_request" },
}
