-- Three clients want the lock at once, twice each: who asked first should be served first, and nobody forgotten.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: three clients",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    for _ = 1, 2 do
      lock:acquire()
      me:work(100)
      lock:release()
    end
  end,
  explore = { random = 1000 },
  must_see = { "contention", "wait" },
}
