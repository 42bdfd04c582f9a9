-- One process freezes, and one message is lost.
return {
  title   = "redisson/faster_multi: a pause and a lost message, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once",
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    -- The time of the values ends while their owner is frozen. He wakes inside his critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A request counts by its sender's clock when it was sent: one that was on its way when the time ran out is answered as if it had not.
    matches_spec = "violated",
    -- A release that stalled with its process, or was never answered, leaves the values with a thread that has gone, renewed by the
    -- watchdog.
    prompt = { "violated", idle_ms = 30001 },
    -- An unlock does not look at the owner: in the last millisecond of its hold it takes the next owner's.
    owner_only = "violated",
    -- A value that is taken in the last millisecond of the group's life goes with it: no TTL is set then.
    lease_set = "violated",
  },
  must_see = { "pause", "lose_message" },
}
