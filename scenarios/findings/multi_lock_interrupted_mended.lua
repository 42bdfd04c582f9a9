-- The same with our mend: whatever was asked for is given back.
local finding = require "multi_lock_interrupted"

return {
  title   = "an interrupted multi-lock gives back what it asked for",
  servers = finding.servers,
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = { no_deadlock = "holds", prompt = { "holds", idle_ms = 30001 }, no_leak = "holds" },
  must_see = finding.must_see,
}
