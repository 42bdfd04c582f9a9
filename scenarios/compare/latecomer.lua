-- One client holds the lock twice, and another asks late, or finds the first one dead: what it is told depends on when
-- the lease was renewed.
local redisson = require "redisson.lock"

return {
  title   = "a late client",
  clients = { "A", { "B", start_ms = 150 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000 })
    lock:acquire()
    me:work(100)
    lock:acquire()
    me:work(100)
    lock:release()
    lock:release()
  end,
  faults  = { crash = { 1, of = "A" } },
  must_see = { "contention", "re-entry", "crash" },
}
