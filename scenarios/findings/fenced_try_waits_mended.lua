-- The same with our mend: who only tries asks once.
local finding = require "fenced_try_waits"

return {
  title   = "tryLockAndGetToken() tries",
  clients = finding.clients,
  program = finding.program,
  expect  = {
    no_deadlock = "holds",
    no_leak = "violated",                      -- A keeps it
  },
  must_see = { "renewal" },
}
