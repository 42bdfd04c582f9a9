-- One process dies at any moment, with whatever it holds.
return {
  title   = "redisson/faster_multi: a crash, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A value that is taken in the last millisecond of the group's life goes with it: no TTL is set then.
    lease_set = "violated",
  },
  must_see = { "crash" },
}
