-- The twin of H05c, a mend of ours: an unlock takes off the watchdog only what an acquire has added.
local faulty = require "H05c"

return {
  title   = "H05c mended: the watchdog keeps its own count",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { mutual_exclusion = "holds" },
  must_see = faulty.must_see,
}
