-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "basic/ticket: a doubled request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A copy of an acquire that finds its own number called goes in once more, which the lock does not count.
    reentrancy = "violated",
    prompt = { "holds", idle_ms = 2501 },
    fifo = "holds",
    -- A number that nobody comes for stays.
    no_leak = "violated",
    -- There is no lease: the key never has a TTL.
    lease_set = "violated",
    -- A copy that comes first takes the answer: a release that ended a turn is told "not the owner".
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
