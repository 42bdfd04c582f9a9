-- Any one message is lost: whoever waited for it must find out by itself.
return {
  title    = "redisson/lock with a replica: a lost message, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { lose_message = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "lose_message" },
}
