-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "basic/blocking: a doubled request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2501 },
    -- Its own copy can come first: then an acquire that took the lock is answered "refused", a release that freed it "not the
    -- owner".
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
