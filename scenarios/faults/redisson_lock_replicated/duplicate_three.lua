-- Any one request is executed twice, the copy at any later moment.
return {
  title    = "redisson/lock with a replica: a doubled request, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { duplicate = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The copy of an acquire is a hold of which its owner hears nothing.
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
