-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title   = "redisson/spin: a lost answer, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A lost answer costs 3 s.
    prompt = { "violated", idle_ms = 1065 },
  },
  must_see = { "lose_reply" },
}
