-- One answer is lost, and one request is executed after its sender gave up: of the same client or of two.
return {
  title   = "redisson/faster_multi: a lost answer and a late request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- An acquire without an answer is sent again, and both of them count: one unlock leaves the values taken.
    prompt = { "violated", idle_ms = 30001 },
    -- A request counts by its sender's clock when it was sent: one that was on its way when the time ran out is answered as if it had not.
    matches_spec = "violated",
    -- An unlock does not look at the owner: in the last millisecond of its hold it takes the next owner's.
    owner_only = "violated",
    -- An acquire without an answer is sent again, and both of them count.
    reentrancy = "violated",
    -- A value that is taken in the last millisecond of the group's life goes with it: no TTL is set then.
    lease_set = "violated",
  },
  must_see = { "lose_reply", "late_request" },
}
