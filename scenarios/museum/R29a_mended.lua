-- The twin of R29a: only an acquire that was granted writes the field.
local faulty = require "R29a"

return {
  title   = "R29a mended: a refused attempt leaves the holder alone",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { mutual_exclusion = "holds", lease_set = "holds" },
  must_see = faulty.must_see,
}
