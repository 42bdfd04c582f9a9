-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title   = "redisson/fair_non_reentrant: a lost request, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "lose_request" },
}
