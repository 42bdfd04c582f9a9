-- The same with our mend: a lease that could not be set is no lock.
local finding = require "multi_lock_unset_lease"

return {
  title   = "a multi-lock whose lease was not set says no",
  servers = finding.servers,
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = { lease_set = "holds", strict_mutual_exclusion = "holds" },
  must_see = finding.must_see,
}
