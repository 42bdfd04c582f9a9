-- The twin of H17, a mend of ours: the server's clock decides, so it is the same for all.
local faulty = require "H17"

return {
  title   = "H17 mended: one clock for all",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { fifo = "holds" },
  must_see = faulty.must_see,
}
