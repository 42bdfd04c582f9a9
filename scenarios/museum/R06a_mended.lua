-- The twin of R06a: a deadline that is not there is left out, and the lock goes on working.
local faulty = require "R06a"

return {
  title   = "R06a mended: a lost deadline is no error",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    script_health = "holds",
    -- Open to this day: a waiter whose deadline was lost is queued once more when he asks again. The entry that he leaves behind has no
    -- deadline, so nobody ever takes it out.
    matches_spec = "violated",
    no_leak      = "violated",
  },
  must_see = faulty.must_see,
}
