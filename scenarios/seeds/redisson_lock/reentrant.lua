-- The owner takes the lock three deep while another waits: it must be free exactly after the third release.
local redisson = require "redisson.lock"

return {
  title   = "redisson/lock: three deep",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    for _ = 1, 3 do
      lock:acquire()
    end
    me:work(100)
    for _ = 1, 3 do
      lock:release()
    end
  end,
  explore = { random = 1000 },
  must_see = { "contention", "re-entry" },
}
