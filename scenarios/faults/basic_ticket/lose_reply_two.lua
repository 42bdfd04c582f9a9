-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title   = "basic/ticket: a lost answer, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_reply = 1 },
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
  must_see = { "lose_reply" },
}
