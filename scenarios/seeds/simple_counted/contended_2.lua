-- Two clients want the lock at once: one must wait, and must be let in when the other has finished.
local simple = require "simple.counted"

return {
  title   = "simple/counted: two clients",
  clients = { "A", "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 30, retry_ms = 250 })
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  explore = { random = 1000 },
  must_see = { "contention", "wait" },
}
