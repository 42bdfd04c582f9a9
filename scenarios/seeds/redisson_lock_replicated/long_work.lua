-- The watchdog renews while a failover may lose the newest three writes. A renewal is sent with a WAIT as everything is, so the replica that
-- takes over has it: else the lock would end in the middle of the work.
local redisson = require "redisson.lock"

return {
  title    = "redisson/lock with a replica: renewals outlive a failover",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
    lock:acquire()
    me:work(me.client == "A" and 45000 or 100)
    lock:release()
  end,
  faults   = { failover = { 1, writes = 3 } },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "renewal", "failover", "wait" },
}
