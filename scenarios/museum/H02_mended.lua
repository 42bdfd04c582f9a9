-- The twin of H02: our mend: while somebody writes, a read unlock leaves the hash's life alone.
local faulty = require "H02"

return {
  title   = "H02 mended: a read unlock leaves the writer's lease alone",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    mutual_exclusion = "holds",
    lease_set = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "release", "wait" },
}
