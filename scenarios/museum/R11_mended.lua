-- The twin of R11: since 3.2.4 a writer may read, too.
local faulty = require "R11"

return {
  title   = "R11 mended: a writer may read",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    no_deadlock = "holds",
    reentrancy = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "grant", "wait" },
}
