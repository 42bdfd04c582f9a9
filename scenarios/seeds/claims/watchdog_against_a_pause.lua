-- Seed 004: a daemon thread (and "clock drift detection") copes with long GC pauses. Refuted: the watchdog is paused
-- with its process. A's process stops for longer than 30 s, the lease ends, B is let in, and A wakes up inside its
-- critical section.
local redisson = require "redisson.lock"

return {
  title   = "claim of seed 004: the watchdog copes with a pause",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    -- Redis kept its word: it promised 30 s and no watchdog renewed.
    mutual_exclusion = "holds",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "pause", "expiry" },
}
