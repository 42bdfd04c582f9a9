-- The twin of R16: after 3.11.0 the hash lives as long as the longest lease.
local faulty = require "R16"

return {
  title   = "R16 mended: the longest lease counts",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    mutual_exclusion = "holds",
    lease_set = "holds",
    owner_only = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "expiry", "wait" },
}
