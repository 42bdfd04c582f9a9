-- One waiting thread is interrupted, at any moment.
return {
  title   = "basic/ticket: an interrupt, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { interrupt = 1 },
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
  must_see = { "interrupt" },
}
