-- R31b mended in 3.52.0: the same request is sent again, and its latch knows it.
local faulty = require "R31b"

return {
  title    = "an unlock that is sent again as what it is",
  replicas = faulty.replicas,
  clients  = faulty.clients,
  program  = faulty.program,
  faults   = faulty.faults,
  expect   = { mutual_exclusion = "holds", reentrancy = "holds" },
  must_see = faulty.must_see,
}
