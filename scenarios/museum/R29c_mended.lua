-- The twin of R29c: the field keeps the lease of the hold until the lock is free.
local faulty = require "R29c"

return {
  title   = "R29c mended: a partial unlock renews the lease that was asked for",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { prompt = { "holds", idle_ms = 15000 } },
  must_see = faulty.must_see,
}
