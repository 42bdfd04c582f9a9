-- Any one message is lost: whoever waited for it must find out by itself.
return {
  title   = "redisson/permits: a lost message, three clients",
  clients = { "A", "B", "C" },
  program = require "once" (2),
  faults  = { lose_message = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1001 },
  },
  must_see = { "lose_message" },
}
