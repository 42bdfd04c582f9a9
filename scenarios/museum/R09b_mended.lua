-- The twin of R09b: upstream took its mend back, so this one is ours: the wait is in milliseconds always.
local faulty = require "R09b"

return {
  title   = "R09b mended: a wait is a wait in any unit",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { fifo = "holds" },
  must_see = faulty.must_see,
}
