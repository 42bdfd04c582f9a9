-- One process freezes at any moment and for any time: A, for B is like it.
return {
  title   = "redisson/red_lock: a pause, three clients",
  servers = 3,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once" (10000),
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- Of its majority one may be a lock that it gave up for lost and whose acquire was executed late: its lease is not set at the end.
    lease_set = "violated",
    -- A lock that was taken first may be gone by the time the last one is taken. Nobody looks: the caller is told that he has a majority.
    matches_spec = "violated",
  },
  must_see = { "pause" },
}
