-- Two clients want the lock at once: one must wait, and must be let in when the other has finished.
local redisson = require "redisson.lock"

return {
  title   = "redisson/lock: two clients",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  explore = { random = 1000 },
  must_see = { "contention", "wait" },
}
