-- The same with our mend: a renewal prolongs, or leaves things as they are.
local finding = require "read_write_short_renewal"

return {
  title   = "a renewal never shortens",
  clients = finding.clients,
  program = finding.program,
  expect  = {
    mutual_exclusion = "holds",
    lease_set = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "renewal", "wait" },
}
