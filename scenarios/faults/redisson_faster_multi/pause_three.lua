-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title   = "redisson/faster_multi: a pause, three clients",
  -- 10 ms after each other: all at once there are several times as many states.
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = require "once",
  faults  = { pause = 1 },
  expect  = {
    -- A value whose time is over stays its owner's by the server's account, until the next one takes it from him: nothing ends it
    -- before.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    owner_only = "violated",
    -- A release that stalled with its process, or was never answered, leaves the values with a thread that has gone, renewed by the
    -- watchdog.
    prompt = { "violated", idle_ms = 30001 },
  },
  must_see = { "pause" },
}
