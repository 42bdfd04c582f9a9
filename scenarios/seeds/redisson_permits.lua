-- redisson/permits in situations of its own.
local redisson = require "redisson.permits"

return {
  cases = {
    -- An acquire that no replica is known to have is taken back by its permit's name, which does no harm where there
    -- was none.
    unsynced = {
      title    = "redisson/permits: an acquire that no replica has",
      replicas = 1,
      clients  = { "A", { "B", start_ms = 10 } },
      program  = function(me)
        local pool = redisson.semaphore(me, "pool", { permits = 1, lease_ms = 20000, replicas = 1 })
        pool:try_set_permits()
        local permit = pool:try_acquire()
        if permit then
          me:work(5000)
          pool:release(permit)
        end
      end,
      faults   = { lag = { 1, ms = 1500 } },
      expect   = { strict_mutual_exclusion = "holds" },
      must_see = { "lag", "resend" },
    },
  },
}
