-- The twin of R46, mended by us: the unit is applied once, before the first round.
local faulty = require "R46"

return {
  title   = "R46 mended: one lease for all rounds",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    lease_set = "holds",
  },
  must_see = { "contention" },
}
