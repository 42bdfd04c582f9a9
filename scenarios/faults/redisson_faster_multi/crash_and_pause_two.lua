-- One process dies and one freezes, each at any moment.
return {
  title   = "redisson/faster_multi: a crash and a pause, two clients",
  clients = { "A", { "B", start_ms = 10 } },
  program = require "once",
  faults  = { crash = 1, pause = 1 },
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
  must_see = { "crash", "pause" },
}
