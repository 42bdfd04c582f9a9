-- The twin of R05: only who has outwaited his deadline is dropped. The dead head that the proposal was about is R50.
local faulty = require "R05"

return {
  title   = "R05 mended: a free lock is the first waiter's",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { no_lost_wakeup = "holds", no_deadlock = "holds", fifo = "holds" },
  must_see = faulty.must_see,
}
