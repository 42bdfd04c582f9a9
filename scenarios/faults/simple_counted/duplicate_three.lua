-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "simple/counted: a doubled request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- The copy of an acquire can be executed after the release: it takes the lock for nobody.
    prompt = { "violated", idle_ms = 2251 },
    -- The second hold is promised a whole lease, and keeps the deadline of the first.
    lease_set = "violated",
    -- The copy of an acquire is a hold of which its owner hears nothing; and a release whose copy came first is answered "not
    -- the owner".
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
