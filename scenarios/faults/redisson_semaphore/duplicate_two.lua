-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/semaphore: a doubled request, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- An acquire that runs twice takes two permits, and its owner gives one back.
    prompt = { "violated", idle_ms = 1 },
    no_deadlock = "violated",
    no_leak = "violated",
    -- An acquire that runs twice takes two permits, and its owner knows of one.
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
