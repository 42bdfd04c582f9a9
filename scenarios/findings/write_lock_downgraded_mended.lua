-- The same with our mend: B reads as soon as A has ceased to write.
local finding = require "write_lock_downgraded"

return {
  title   = "a downgrade that tells the readers",
  clients = finding.clients,
  program = function(me)
    finding.program(me, true)
  end,
  expect  = { script_health = "violated" },
  must_see = finding.must_see,
}
