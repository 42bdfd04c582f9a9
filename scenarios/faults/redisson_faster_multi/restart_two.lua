-- One process dies at any moment and comes back as somebody new.
return {
  title   = "redisson/faster_multi: a restart, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { restart = 1 },
  expect  = {
    -- A value that is taken in the last millisecond of the group's life is gone in the next one, and another takes it.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- A value that is taken in the last millisecond of the group's life is gone in the next one, and another takes it.
    mutual_exclusion = "violated",
    -- A value that is taken in the last millisecond of the group's life goes with it: no TTL is set then.
    lease_set = "violated",
  },
  must_see = { "restart" },
}
