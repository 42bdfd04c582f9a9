-- The same with our mend: a waiter whose deadline was lost keeps his place in the list, and gets a deadline when he asks again.
local finding = require "fair_lost_deadline"

return {
  title   = "the fair lock with a waiter's deadline lost, mended",
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = { no_deadlock = "holds", no_leak = "holds" },
  must_see = finding.must_see,
}
