-- Any one message is lost: whoever waited for it must find out by itself.
return {
  title   = "redisson/fair_non_reentrant: a lost message, three clients",
  clients = { "A", "B", "C" },
  program = require "once".kept,
  faults  = { lose_message = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    fifo = "holds",
  },
  must_see = { "lose_message" },
}
