-- Any one request is executed after its sender has given up on it.
return {
  title   = "redis_py/lock_2_10: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Whoever stops, or is not heard, between SETNX and PEXPIRE leaves a lock without an end.
    prompt = { "violated", idle_ms = 2201 },
    -- Such a lock stays.
    no_leak = "violated",
    -- Between the two requests the lock has no end.
    lease_set = "violated",
  },
  must_see = { "late_request" },
}
