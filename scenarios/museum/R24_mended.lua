-- The twin of R24: whatever an unlock was answered, the watchdog has one hold less, so the lock ends with its lease. A request that is
-- sent again still counts twice, to this day.
local faulty = require "R24"

return {
  title   = "R24 mended: the lock ends with its lease",
  clients = faulty.clients,
  replicas = faulty.replicas,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = { prompt = { "holds", idle_ms = 60000 }, no_deadlock = "holds" },
  must_see = faulty.must_see,
}
