-- The twin of H18: our mend: an unlock that finds nothing leaves no latch, so that sent again it finds nothing again.
local faulty = require "H18"

return {
  title   = "H18 mended: an unlock of nothing says so every time",
  replicas = faulty.replicas,
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    matches_spec = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = faulty.must_see,
}
