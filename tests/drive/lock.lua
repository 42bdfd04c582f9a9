-- What lock.py does, by redis-py's driver: the program is held against it.
local redis_py = require "redis_py.lock"

return {
  title   = "lock.py",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = redis_py.lock(me, "order:42", { lease_ms = 10000, retry_ms = 100 })
    lock:acquire()
    me:work(50)
    lock:release()
  end,
}
