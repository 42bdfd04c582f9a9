-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title   = "redlock of five: a lost request, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "lose_request" },
}
