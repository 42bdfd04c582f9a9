-- The twin of R06b: since 3.45.0 whoever finds no deadline reckons with the lock's own end.
local faulty = require "R06b"

return {
  title   = "R06b mended: whoever comes can queue",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    script_health = "holds",
    -- Open to this day: a waiter whose deadline was lost is queued once more when he asks again. The entry that he leaves behind has no
    -- deadline, so nobody ever takes it out, and whoever stands behind it asks again without pause, for ever.
    matches_spec = "violated", no_leak = "violated", no_deadlock = "violated", no_busy_wait = "violated",
  },
  must_see = faulty.must_see,
}
