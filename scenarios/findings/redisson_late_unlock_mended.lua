-- The same world with a lock whose value is another one for each acquisition: the late release looks for a value that is gone.
local finding = require "redisson_late_unlock"
local set_nx = require "basic.set_nx"

return {
  title   = "a late release finds another value",
  clients = finding.clients,
  program = function(me)
    finding.program(me, set_nx)
  end,
  faults  = finding.faults,
  expect  = {
    mutual_exclusion = "holds",
    strict_mutual_exclusion = "holds",
    -- The specification knows owners and no values: by it the late release should have counted.
    matches_spec = "violated",
  },
  must_see = finding.must_see,
}
