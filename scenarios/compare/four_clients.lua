-- Four clients take one reentrant lock, and re-enter it while they work: every way they can meet, for comparing
-- two forms of its acquire.
local redisson = require "redisson.lock"

return {
  title   = "four clients, one lock, held twice",
  clients = { "A", "B", "C", "D" },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000 })
    lock:acquire()
    me:work(100)
    lock:acquire()
    me:work(100)
    lock:release()
    lock:release()
  end,
  must_see = { "contention", "re-entry" },
}
