-- The same with our mend.
local finding = require "redisson_late_subscribe"

return {
  title   = "a SUBSCRIBE that is undone",
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = { no_leak = "holds" },
  must_see = { "lose_reply" },
}
