-- Seeds 001 and 004: the watchdog renews a lock every 10 s, so that work may take longer than the 30 s lease.
-- Confirmed, while the process runs and Redis answers.
local redisson = require "redisson.lock"

return {
  title   = "claim of seeds 001 and 004: the watchdog keeps it alive",
  clients = { "A", { "B", start_ms = 1000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    if me.client == "A" then
      me:work(100000)                          -- more than three leases
    end
    assert(lock:release() == true)
  end,
  expect  = { strict_mutual_exclusion = "holds" },
  must_see = { "renewal", "wait" },
}
