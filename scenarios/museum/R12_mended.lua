-- The twin of R12: since 3.4.3 a hash whose mode is write stays when its last reader goes.
local faulty = require "R12"

return {
  title   = "R12 mended: the write lock outlives its reader",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    mutual_exclusion = "holds",
    reentrancy = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "grant", "release", "wait" },
}
