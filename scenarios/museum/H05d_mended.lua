-- The twin of H05d, a mend of ours: an unlock may prolong the life of a lock that is still held, and never shortens it.
local faulty = require "H05d"

return {
  title   = "H05d mended: an unlock shortens nothing",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { mutual_exclusion = "holds", lease_set = "holds" },
  must_see = faulty.must_see,
}
