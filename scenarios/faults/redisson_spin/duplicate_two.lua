-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/spin: a request executed twice, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1065 },
    -- The copy of an acquire is a hold of which its owner hears nothing.
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
