-- The twin of R27: whoever was interrupted goes on waiting.
local faulty = require "R27"

return {
  title   = "R27 mended: lock() returns with the lock or not at all",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    strict_mutual_exclusion = "holds",
    mutual_exclusion = "holds",
    matches_spec = "holds",
    -- Open to this day, and an exhibit of its own: R28.
    no_leak = "violated",
  },
  must_see = faulty.must_see,
}
