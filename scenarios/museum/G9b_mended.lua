-- The twin of G9b, mended by us: a waiter asks again by itself once a second.
local faulty = require "G9b"

return {
  title   = "G9b mended: the waiter asks again",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    no_lost_wakeup = "holds",
    no_deadlock = "holds",
    prompt = { "holds", idle_ms = 1000 },
  },
  must_see = { "lose_message", "wait" },
}
