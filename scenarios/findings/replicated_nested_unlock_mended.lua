-- The same with our mend.
local finding = require "replicated_nested_unlock"

return {
  title    = "an inner unlock and a lag leave the renewal alone",
  replicas = finding.replicas,
  clients  = finding.clients,
  program  = finding.program,
  faults   = finding.faults,
  expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
  must_see = { "lag" },
}
