-- The twin of R01: whoever gives up takes his slot with him, and a slot is as long as the wait.
local faulty = require "R01"

return {
  title   = "R01 mended: deadlines do not drift",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    prompt = { "holds", idle_ms = 12000 },
    -- Open to this day, and an exhibit of its own: H09.
    no_busy_wait = "violated",
  },
  must_see = faulty.must_see,
}
