-- Any one request is executed after its sender has given up on it.
return {
  title   = "basic/ticket: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Nobody calls the next number in the place of one who has gone.
    no_deadlock = "violated",
    -- Whoever comes behind one who has gone, or stands still, is not called.
    prompt = { "violated", idle_ms = 2501 },
    fifo = "holds",
    -- A number that nobody comes for stays.
    no_leak = "violated",
    -- There is no lease: the key never has a TTL.
    lease_set = "violated",
  },
  must_see = { "late_request" },
}
