-- The twin of G8: SET with NX and PX writes the lock with its end, or nothing.
local faulty = require "G8"

return {
  title   = "nothing is written before all that can fail",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { script_health = "holds", strict_mutual_exclusion = "holds" },
  must_see = { "contention" },
}
