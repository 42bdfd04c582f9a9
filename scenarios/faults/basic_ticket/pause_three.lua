-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title   = "basic/ticket: a pause, three clients",
  -- 10 ms after each other: all at once there are several times as many states.
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = require "once",
  faults  = { pause = 1 },
  end_ms  = 5000,
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Whoever comes behind one who has gone, or stands still, is not called.
    prompt = { "violated", idle_ms = 2501 },
    fifo = "holds",
    -- A number that nobody comes for stays.
    no_leak = "violated",
    -- There is no lease: the key never has a TTL.
    lease_set = "violated",
  },
  must_see = { "pause" },
}
