-- The twin of H05b, a mend of ours: an acquire may prolong the life of a lock that is held, and never shortens it.
local faulty = require "H05b"

return {
  title   = "H05b mended: a nested lease shortens nothing",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { mutual_exclusion = "holds", lease_set = "holds" },
  must_see = faulty.must_see,
}
