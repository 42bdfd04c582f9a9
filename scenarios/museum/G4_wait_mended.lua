-- G4_wait where all replicas have to confirm. A lagging one then keeps everybody out, and no failover loses a lock; a replica that loses what
-- it confirmed still would.
local faulty = require "G4_wait"

return {
  title    = "failover to a replica, after all have confirmed",
  replicas = faulty.replicas,
  clients  = faulty.clients,
  program  = faulty.program,
  faults   = faulty.faults,
  expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
  must_see = faulty.must_see,
}
