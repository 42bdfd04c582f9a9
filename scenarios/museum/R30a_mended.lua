-- The twin of R30a: whoever gives back what he has lost is told so.
local faulty = require "R30a"

return {
  title   = "R30a mended: who lost the lock is told so",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { matches_spec = "holds" },
  must_see = faulty.must_see,
}
