-- The twin of R04: every waiter is told how long the lock's key still lives, so all of them ask again when it ends.
local faulty = require "R04"

return {
  title   = "R04 mended: whoever waits asks again when the lease ends",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    prompt = { "holds", idle_ms = 3000 },
    -- Open to this day, and an exhibit of its own (H09): while the first in the queue has not come yet, the second is told 0 ms.
    no_busy_wait = "violated",
  },
  must_see = faulty.must_see,
}
