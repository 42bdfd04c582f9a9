-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title    = "redisson/lock with a replica: a lost answer, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { lose_reply = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lose_reply" },
}
