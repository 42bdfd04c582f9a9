-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title    = "basic/confirmed: a lost answer, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { lose_reply = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    -- A waiter whose own request or its answer is gone waits 3 s for it, beside a free lock.
    prompt = { "violated", idle_ms = 2501 },
  },
  must_see = { "lose_reply" },
}
