-- The twin of R35: ask again once the subscription is confirmed.
local faulty = require "R35"

return {
  title   = "R35 mended: ask again after subscribing",
  clients = faulty.clients,
  program = faulty.program,
  expect  = { prompt = { "holds", idle_ms = 10000 } },
  must_see = faulty.must_see,
}
