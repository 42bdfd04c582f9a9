-- One process freezes at any moment and for any time.
return {
  title   = "redisson/red_lock: a pause, three clients",
  servers = 3,
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program = require "once" (10000),
  faults  = { pause = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The locks were taken with one lease, and the requests that set the final one went unanswered: nobody looks at that.
    lease_set = "violated",
    -- A lock that was taken first may be gone by the time the last one is taken. Nobody looks: the caller is told that he has a
    -- majority.
    matches_spec = "violated",
  },
  must_see = { "pause" },
}
