-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title   = "redisson/fair_non_reentrant: a lost answer, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- Only the next one who asks takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "lose_reply" },
}
