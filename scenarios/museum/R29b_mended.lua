-- The twin of R29b: an unlock that frees the lock sets the field back.
local faulty = require "R29b"

return {
  title   = "R29b mended: each hold has its own lease",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { mutual_exclusion = "holds" },
  must_see = faulty.must_see,
}
