-- The same with our mend: the lease reaches the script.
local finding = require "fenced_forgotten_lease"

return {
  title   = "lockAndGetToken passes its lease on",
  clients = finding.clients,
  program = finding.program,
  expect  = {
    prompt = { "holds", idle_ms = 1000 },
    no_deadlock = "holds",
  },
  must_see = { "wait", "expiry" },
}
