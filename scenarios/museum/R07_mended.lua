-- The twin of R07: whoever gives up tells the queue to forget him.
local faulty = require "R07"

return {
  title   = "R07 mended: who gives up leaves the queue",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { prompt = { "holds", idle_ms = 1000 }, no_leak = "holds", no_busy_wait = "holds" },
  must_see = faulty.must_see,
}
