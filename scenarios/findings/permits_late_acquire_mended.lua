-- The same with our mend: a lease that begins when Redis gives the permit.
local finding = require "permits_late_acquire"

return {
  title   = "a permit's lease begins when it is granted",
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = {
    mutual_exclusion = "holds", strict_mutual_exclusion = "holds",
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = finding.must_see,
}
