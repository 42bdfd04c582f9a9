-- The twin of G2: a script compares the value and deletes.
local faulty = require "G2"

return {
  title   = "compare and delete",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { mutual_exclusion = "holds", owner_only = "holds" },
  must_see = { "pause", "expiry" },
}
