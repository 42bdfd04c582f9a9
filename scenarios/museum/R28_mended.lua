-- The twin of R28, a mend of ours: an acquire that is granted to a caller who has gone is given back at once.
local faulty = require "R28"

return {
  title   = "R28 mended: what nobody got is given back",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { prompt = { "holds", idle_ms = 60000 }, no_deadlock = "holds" },
  must_see = faulty.must_see,
}
