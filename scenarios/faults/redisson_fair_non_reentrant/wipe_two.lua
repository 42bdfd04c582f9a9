-- Redis starts again with nothing in it, at any moment.
return {
  title   = "redisson/fair_non_reentrant: a wiped server, two clients",
  clients = { "A", "B" },
  program = require "once".kept,
  faults  = { wipe = 1 },
  expect  = {
    -- The lock went with the memory, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- A release of a lock that is gone is answered "released", though its owner had lost it.
    matches_spec = "violated",
  },
  must_see = { "wipe" },
}
