-- The same with our mend: a group renews what is its own.
local finding = require "multi_lock_shortens_another"

return {
  title   = "a multi-lock renews what is its own",
  servers = finding.servers,
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = {
    mutual_exclusion = "holds", owner_only = "holds", lease_set = "holds", matches_spec = "holds",
    -- A lease and a pause: A's own work may outlast it.
    strict_mutual_exclusion = "violated",
  },
  must_see = finding.must_see,
}
