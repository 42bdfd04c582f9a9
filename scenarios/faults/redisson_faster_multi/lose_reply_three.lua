-- Any one answer is lost: the request was executed, and its sender does not know.
return {
  title   = "redisson/faster_multi: a lost answer, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { lose_reply = 1 },
  expect  = {
    -- A value that is taken in the last millisecond of the group's life is gone in the next one, and another takes it.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- A value that is taken in the last millisecond of the group's life is gone in the next one, and another takes it.
    mutual_exclusion = "violated",
    -- A value that is taken in the last millisecond of the group's life goes with it: no TTL is set then.
    lease_set = "violated",
  },
  must_see = { "lose_reply" },
}
