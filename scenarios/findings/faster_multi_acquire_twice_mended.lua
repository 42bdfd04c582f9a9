-- The same with our mend.
local finding = require "faster_multi_acquire_twice"

return {
  title   = "an acquire that is sent again counts once",
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = { prompt = { "holds", idle_ms = 10000 } },
  must_see = { "lose_reply" },
}
