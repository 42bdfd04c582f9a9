-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title   = "redis_py/lock_2_10: a lost request, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A lock that was taken and not given its end stays for ever.
    no_deadlock = "violated",
    -- Whoever stops, or is not heard, between SETNX and PEXPIRE leaves a lock without an end.
    prompt = { "violated", idle_ms = 2201 },
    -- Such a lock stays.
    no_leak = "violated",
    -- Between the two requests the lock has no end.
    lease_set = "violated",
  },
  must_see = { "lose_request" },
}
