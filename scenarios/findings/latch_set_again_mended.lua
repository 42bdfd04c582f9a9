-- The same with our mend: what is not answered is not sent again.
local finding = require "latch_set_again"

return {
  title   = "a count that is set once",
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = { no_deadlock = "holds", no_leak = "violated" },
  must_see = { "lose_reply" },
}
