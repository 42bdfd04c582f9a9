-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title   = "redis_py/lock_2_9: a lost request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter whose own request or its answer is gone waits 3 s for it, beside a free lock.
    prompt = { "violated", idle_ms = 2801 },
    -- The key has no TTL: what nobody deletes stays, its instant long past.
    no_leak = "violated",
  },
  must_see = { "lose_request" },
}
