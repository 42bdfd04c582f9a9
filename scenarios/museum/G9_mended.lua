-- The twin of G9, a mend of ours: nobody sleeps for longer than 5 s without asking.
local faulty = require "G9"

return {
  title   = "G9 mended: nobody relies on a message alone",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { prompt = { "holds", idle_ms = 10000 } },
  must_see = faulty.must_see,
}
