-- The twin of R17: after 3.8.0 the watchdog renews the keys of read holds, too.
local faulty = require "R17"

return {
  title   = "R17 mended: read holds are renewed",
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
