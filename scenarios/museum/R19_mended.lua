-- The twin of R19: since 4.4.0 a watchdog renews the holds of its own process only.
local faulty = require "R19"

return {
  title   = "R19 mended: everybody renews his own holds",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    prompt = { "holds", idle_ms = 1000 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "crash", "renewal", "wait" },
}
