-- The twin of R09a: upstream took its mend back, so this one is ours: the wait is in milliseconds always.
local faulty = require "R09a"

return {
  title   = "R09a mended: a wait is a wait in any unit",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { fifo = "holds" },
  must_see = faulty.must_see,
}
