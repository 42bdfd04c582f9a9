-- The twin of R34: each lock is renewed on behalf of an owner, and only if he holds it.
local faulty = require "R34"

return {
  title   = "R34 mended: the watchdog renews its own",
  clients = faulty.clients,
  program = faulty.program,
  faults  = faulty.faults,
  expect  = {
    owner_only = "holds",
    prompt = { "holds", idle_ms = 25000 },
    -- A lock that is freed by force was promised to somebody.
    mutual_exclusion = "violated",
  },
  must_see = faulty.must_see,
}
