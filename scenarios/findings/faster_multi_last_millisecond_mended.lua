-- The same with our mend.
local finding = require "faster_multi_last_millisecond"

return {
  title   = "values that are taken in the group's last millisecond stay taken",
  clients = finding.clients,
  program = finding.program,
  expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
  must_see = { "wait" },
}
