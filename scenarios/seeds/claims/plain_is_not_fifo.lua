-- Seed 004: the reentrant lock has no queue, its waiters race. Confirmed: a newcomer overtakes a waiter that has been
-- told of the release.
local redisson = require "redisson.lock"

return {
  title   = "claim of seed 004: no queue, a race",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    for _ = 1, me.client == "A" and 2 or 1 do      -- the last holder asks again, before the waiters
      lock:acquire()
      me:work(100)
      lock:release()
    end
  end,
  expect  = { fifo = "violated", strict_mutual_exclusion = "holds" },
  must_see = { "contention", "wait" },
}
