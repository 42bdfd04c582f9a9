-- The twin of O1: since 3.0 one SET with NX and PX does both.
local faulty = require "O1"

return {
  title   = "redis-py: SET NX PX",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 1501 } },
  must_see = { "crash", "contention" },
}
