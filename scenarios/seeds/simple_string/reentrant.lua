-- The owner takes the lock again, which it was not made for: he waits for himself until his own lease has run out.
local simple = require "simple.string"

return {
  title   = "simple/string: a second acquire",
  clients = { "A" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 1, retry_ms = 250 })
    lock:acquire()
    lock:acquire()
    me:work(100)
    lock:release()
    lock:release()
  end,
  must_see = { "contention", "expiry" },
}
