-- The twin of O6: both are scripts that compare the value first.
local faulty = require "O6"

return {
  title   = "Artemis: renew and release compare the owner",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { mutual_exclusion = "holds", owner_only = "holds" },
  must_see = { "pause", "renewal" },
}
