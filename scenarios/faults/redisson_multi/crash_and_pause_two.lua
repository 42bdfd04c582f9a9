-- One process dies, and one freezes: the same or another, in either order.
return {
  title   = "redisson/multi: a crash and a pause, two clients",
  servers = 2,
  clients = { "A", "B" },
  program = require "once" (10000),
  faults  = { crash = 1, pause = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A lock that was taken first may be gone by the time the last one is taken. Nobody looks: the caller is told that he has them all.
    matches_spec = "violated",
  },
  must_see = { "crash", "pause" },
}
