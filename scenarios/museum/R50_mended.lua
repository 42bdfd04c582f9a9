-- The twin of R50, a mend of ours: whoever finds the lock free gives the first in the queue 3 s to come, and asks again when they are
-- over.
local faulty = require "R50"

return {
  title   = "R50 mended: a free lock does not wait for the dead",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { prompt = { "holds", idle_ms = 60000 }, fifo = "holds", no_busy_wait = "holds" },
  must_see = faulty.must_see,
}
