-- One process freezes at any moment and for any time.
return {
  title   = "redisson/multi: a pause, three clients",
  servers = 2,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once" (10000),
  faults  = { pause = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A lock that was taken first may be gone by the time the last one is taken. Nobody looks: the caller is told that he has them
    -- all.
    matches_spec = "violated",
  },
  must_see = { "pause" },
}
