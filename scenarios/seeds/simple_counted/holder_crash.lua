-- The holder dies with the lock: the others must get in once its lease has run out.
local simple = require "simple.counted"

return {
  title   = "simple/counted: the holder dies",
  clients = { "A", "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 30, retry_ms = 250 })
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = 1 },
  explore = { random = 1000 },
  must_see = { "crash", "expiry" },
}
