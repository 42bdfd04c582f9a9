-- Any one message is lost: whoever waited for it must find out by itself.
return {
  title   = "redisson/fenced: a lost message, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { lose_message = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    fencing = "holds",
  },
  must_see = { "lose_message" },
}
