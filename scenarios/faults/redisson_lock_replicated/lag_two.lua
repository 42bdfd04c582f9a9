-- The replica falls behind: what is asked meanwhile fails, is taken back and asked again.
return {
  title    = "redisson/lock with a replica: a lag, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { lag = { 1, ms = 1500 } },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lag", "resend" },
}
