-- A proposal for the head of the queue that has died: while the lock is free, whoever asks drops everybody who stands before him and queues
-- himself. But he is told -2, for there is no key, and parks without limit; and the one he dropped was alive and on his way.
-- If each drops the other the lock is free and both sleep; if not, the newcomer is served first.
local redisson = require "redisson.fair"

return {
  title   = "R05: a newcomer drops those before him and sleeps",
  exhibit = { bug = "#3178 #3186", library = "Redisson", versions = "none: a pull request, taken back",
              what = "a newcomer drops live waiters and sleeps", twin = "R05_mended.lua" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 100 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  expect  = { no_lost_wakeup = "violated", no_deadlock = "violated", fifo = "violated", matches_spec = "violated" },
  must_see = { "wait" },
}
