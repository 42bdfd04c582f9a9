-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "basic/ticket: a crash, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1 },
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
  must_see = { "crash" },
}
