-- One process freezes and any one message is lost, each at any moment.
return {
  title   = "redisson/fair_non_reentrant: a pause and a lost message, two clients",
  clients = { "A", "B" },
  program = require "once".leased,
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 1001 },
    fifo = "holds",
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
    -- A release of a lock that is gone is answered "released", though its owner had lost it.
    matches_spec = "violated",
  },
  must_see = { "pause", "lose_message" },
}
