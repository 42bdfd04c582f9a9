-- The twin of R13: after 3.5.4 a re-entry adds its lease to what is left.
local faulty = require "R13"

return {
  title   = "R13 mended: a re-entry adds its lease",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    mutual_exclusion = "holds",
    -- No grant is cut short, but the inner one gets 11 s where it asked for 1 s.
    lease_set = "violated",
  },
  must_see = { "re-entry", "wait" },
}
