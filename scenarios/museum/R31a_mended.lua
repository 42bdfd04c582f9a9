-- R31a mended in 3.24.0: each unlock has a latch key that remembers what it decided, and is asked first. An acquire that is sent again still
-- counts twice: the lock then outlives its holder by up to its lease.
local faulty = require "R31a"

return {
  title    = "an unlock that is sent again, with its latch",
  replicas = faulty.replicas,
  clients  = faulty.clients,
  program  = faulty.program,
  faults   = faulty.faults,
  expect   = { mutual_exclusion = "holds", reentrancy = "holds", matches_spec = "violated" },
  must_see = faulty.must_see,
}
