-- The twin of R30b, a mend of ours: the first in the queue is called as before, and the one who had lost the lock is told so.
local faulty = require "R30b"

return {
  title   = "R30b mended: who lost the fair lock is told so",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    matches_spec = "holds",
    -- Open to this day: whoever sleeps through the answer to his request gives up without leaving the queue.
    no_leak = "violated",
  },
  must_see = faulty.must_see,
}
