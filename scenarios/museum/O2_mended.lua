-- The twin of O2: since 2.10 the value is a token that no other holder has, and release compares it.
local faulty = require "O2"

return {
  title   = "redis-py: a token tells whose lock it is",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { mutual_exclusion = "holds", owner_only = "holds" },
  must_see = { "contention", "expiry" },
}
