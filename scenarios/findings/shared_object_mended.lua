-- The same with our mend: an unlock that leaves holds over never shortens what is left.
local finding = require "shared_object"

return {
  title   = "a late unlock answer shortens nothing",
  clients = finding.clients,
  program = finding.program,
  expect  = { mutual_exclusion = "holds", lease_set = "holds" },
  must_see = finding.must_see,
}
