-- The same with our mend: scripts that go by the server's clock.
local finding = require "faster_multi_fast_clock"

return {
  title   = "a fast clock takes no values",
  clients = finding.clients,
  program = finding.program,
  expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds", owner_only = "holds" },
}
