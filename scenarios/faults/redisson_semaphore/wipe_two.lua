-- The server comes back empty, at any moment.
return {
  title   = "redisson/semaphore: a wiped server, two clients",
  clients = { "A", "B" },
  program = require "once" (1),
  faults  = { wipe = 1 },
  expect  = {
    -- The pool's key is all there is. The client that comes next sets the full number of permits again, though some are out.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- Whoever has set the permits already, or finds the key gone, waits for a release: no lease and no time-out will end that.
    prompt = { "violated", idle_ms = 1 },
    no_deadlock = "violated",
  },
  must_see = { "wipe" },
}
