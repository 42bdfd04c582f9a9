-- The same with our mend: the permit goes on to the next thread of the process.
local finding = require "redisson_swallowed_permit"

return {
  title   = "a permit that comes too late is passed on",
  clients = finding.clients,
  program = finding.program,
  expect  = { prompt = { "holds", idle_ms = 1 } },
  must_see = finding.must_see,
}
