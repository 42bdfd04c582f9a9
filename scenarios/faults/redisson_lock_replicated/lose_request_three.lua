-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title    = "redisson/lock with a replica: a lost request, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { lose_request = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A lost UNSUBSCRIBE is not sent again: the subscription stays.
    no_leak = "violated",
  },
  must_see = { "lose_request" },
}
