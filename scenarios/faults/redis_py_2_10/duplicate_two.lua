-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redis_py/lock_2_10: a doubled request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- PEXPIRE does not ask whose lock it is.
    owner_only = "violated",
    -- A lock that was taken and not given its end stays for ever.
    no_deadlock = "violated",
    -- Whoever stops, or is not heard, between SETNX and PEXPIRE leaves a lock without an end.
    prompt = { "violated", idle_ms = 2201 },
    -- Such a lock stays.
    no_leak = "violated",
    -- Between the two requests the lock has no end.
    lease_set = "violated",
    -- A copy that comes first takes the answer from the original.
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
