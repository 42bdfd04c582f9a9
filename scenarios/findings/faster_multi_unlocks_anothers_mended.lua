-- The same with our mend.
local finding = require "faster_multi_unlocks_anothers"

return {
  title   = "an unlock that leaves another's hold alone",
  clients = finding.clients,
  program = finding.program,
  expect  = { owner_only = "holds", strict_mutual_exclusion = "violated", matches_spec = "violated", lease_set = "violated" },
  must_see = { "wait" },
}
