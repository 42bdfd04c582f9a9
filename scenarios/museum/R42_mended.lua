-- The twin of R42: since 3.11.1 a caller who does not wait gets his own lease at each lock.
local faulty = require "R42"

return {
  title   = "R42 mended: the caller's own lease",
  clients = faulty.clients,
  program = faulty.program,
  expect  = {
    mutual_exclusion = "holds",
    strict_mutual_exclusion = "holds",
    matches_spec = "holds",
  },
  must_see = { "contention" },
}
