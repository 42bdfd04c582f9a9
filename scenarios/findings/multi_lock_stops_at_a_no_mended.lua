-- The same with our mend: every lock is unlocked.
local finding = require "multi_lock_stops_at_a_no"

return {
  title   = "a multi-lock's unlock reaches every lock",
  servers = finding.servers,
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = { no_deadlock = "holds", prompt = { "holds", idle_ms = 30001 }, no_leak = "holds" },
  must_see = finding.must_see,
}
