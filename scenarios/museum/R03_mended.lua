-- The twin of R03: since 3.32.0 a queued waiter is told how long the lock's key still lives, and never less than 0.
local faulty = require "R03"

return {
  title   = "R03 mended: nobody sleeps for ever",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { no_lost_wakeup = "holds", no_deadlock = "holds" },
  must_see = faulty.must_see,
}
