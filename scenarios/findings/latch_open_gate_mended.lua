-- The same with our mend: a gate that is closed before each look. Who waits in vain does so without a sound.
local finding = require "latch_open_gate"

return {
  title    = "a gate is closed before the latch is looked at",
  replicas = finding.replicas,
  clients  = finding.clients,
  program  = finding.program,
  faults   = finding.faults,
  expect   = {
    no_busy_wait = "holds",
    -- A failover still loses count-downs, and latches.
    no_lost_wakeup = "violated", no_deadlock = "violated", no_leak = "violated",
  },
  must_see = finding.must_see,
}
