-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redis_py/lock_2_9: a doubled request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2801 },
    -- The key has no TTL: what nobody deletes stays, its instant long past.
    no_leak = "violated",
  },
  must_see = { "duplicate" },
}
