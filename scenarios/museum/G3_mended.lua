-- The twin of G3: each grant has a greater number than the one before, and the account refuses a smaller one than it has seen. The two
-- holders still believe in their lock at once; it no longer does harm. Without such numbers there is no twin.
local faulty = require "G3"

return {
  title   = "fencing tokens",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { fencing = "holds", strict_mutual_exclusion = "violated" },
  must_see = { "pause", "expiry" },
}
