-- The same with our mend: the write lock is renewed until it is given back.
local finding = require "read_write_nested_read"

return {
  title   = "a nested read unlock is nothing to the write lock's watchdog",
  clients = finding.clients,
  program = finding.program,
  expect  = {
    mutual_exclusion = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "renewal", "release", "wait" },
}
