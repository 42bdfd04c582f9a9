-- The same with our mend: what is left lives as long as it was promised.
local finding = require "read_write_partial_unlock"

return {
  title   = "an inner write unlock never shortens",
  clients = finding.clients,
  program = finding.program,
  expect  = {
    mutual_exclusion = "holds",
    -- A write hold within another adds its lease to what is left.
    lease_set = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "re-entry", "wait" },
}
