-- The same with our mend: who is told yes has all of them, and nobody else's lease is touched.
local finding = require "multi_lock_half_gone"

return {
  title   = "a multi-lock says no when its first lock has run out",
  servers = finding.servers,
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = {
    matches_spec = "holds", owner_only = "holds", lease_set = "holds",
    strict_mutual_exclusion = "violated",      -- as before
  },
  must_see = finding.must_see,
}
