-- The same with our mend: whoever leaves with an exception is taken out of the queue. A lock that he was given without hearing of it still
-- has to end by its lease.
local finding = require "fair_ghost_timeout"

return {
  title   = "whoever leaves with an exception leaves the queue",
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = {
    prompt = { "holds", idle_ms = 30001 },
    -- A SUBSCRIBE that is not confirmed before its caller gives up is never undone.
    no_leak = "violated",
  },
  must_see = finding.must_see,
}
