-- Seed 004's table: the reentrant lock changes hands by expiring. Refuted: unlock publishes, and the waiter has the
-- lock at once.
local redisson = require "redisson.lock"

return {
  title   = "claim of seed 004: handed over by expiry",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    local asked_ms = me:now()
    lock:acquire()
    assert(me:now() - asked_ms <= 100)         -- the 100 ms of the other's work at most; not 30 s
    me:work(100)
    lock:release()
  end,
  expect  = { prompt = { "holds", idle_ms = 1 } },
  must_see = { "wait", "wake-up" },
}
