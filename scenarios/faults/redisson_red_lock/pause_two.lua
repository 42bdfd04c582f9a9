-- One process freezes at any moment and for any time: A, who comes when B has the first answers. Where they come at the same time the world is
-- ten times as large: pause_three.lua, and there lease_set breaks, too.
return {
  title   = "redisson/red_lock: a pause, two clients",
  servers = 3,
  clients = { { "A", start_ms = 10 }, "B" },
  program = require "once" (10000),
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A lock that was taken first may be gone by the time the last one is taken. Nobody looks: the caller is told that he has a majority.
    matches_spec = "violated",
  },
  must_see = { "pause" },
}
