-- The twin of G1: one SET with NX and PX.
local faulty = require "G1"

return {
  title   = "SET NX PX",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 1501 } },
  must_see = { "crash", "contention" },
}
