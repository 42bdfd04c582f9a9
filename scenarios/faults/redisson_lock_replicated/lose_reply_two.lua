-- Any one answer is lost: Redis has done what is then asked for again.
return {
  title    = "redisson/lock with a replica: a lost answer, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { lose_reply = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lose_reply", "resend" },
}
