-- The twin of H05a, a mend of ours: an acquire without a lease never sends an earlier one.
local faulty = require "H05a"

return {
  title   = "H05a mended: a nested lock() gets a whole lease",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { mutual_exclusion = "holds" },
  must_see = faulty.must_see,
}
