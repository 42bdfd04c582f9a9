-- Any one answer is lost, and the replica falls behind.
return {
  title    = "redisson/lock with a replica: a lag and a lost answer, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { lag = { 1, ms = 1500 }, lose_reply = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    -- An acquire whose answer is lost is sent again and counts twice: one unlock leaves the lock for a lease. The lag, when that ends, keeps
    -- the next client out for longer.
    prompt = { "violated", idle_ms = 30001 },
  },
  must_see = { "lag", "lose_reply" },
}
