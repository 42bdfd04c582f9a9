-- The twin of R22: since 4.0.0 the loops have variables of their own.
local faulty = require "R22"

return {
  title   = "R22 mended: every hold is renewed",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    mutual_exclusion = "holds",
    owner_only = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "renewal", "wait" },
}
