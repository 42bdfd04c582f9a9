-- The twin of H09, a mend of ours: whoever finds the lock free behind another asks again after 100 ms.
local faulty = require "H09"

return {
  title   = "H09 mended: a pause between two questions",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { no_busy_wait = "holds" },
  must_see = faulty.must_see,
}
