-- The holder dies with the lock: the others must get in once its lease has run out.
local redisson = require "redisson.fair"

return {
  title   = "redisson/fair: the holder dies",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = 1 },
  explore = { random = 1000 },
  must_see = { "crash", "expiry" },
}
