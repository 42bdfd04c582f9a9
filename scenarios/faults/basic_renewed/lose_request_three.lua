-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title   = "basic/renewed: a lost request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A release that is not heard, or too late, leaves the heartbeat on for the 3 s of its time-out, and then there is a lease
    -- to wait for.
    prompt = { "violated", idle_ms = 4001 },
  },
  must_see = { "lose_request" },
}
