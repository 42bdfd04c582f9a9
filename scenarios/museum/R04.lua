-- Holders let the lease end instead of unlocking, and an expiry sends no message: each waiter must wake up by himself. But whoever was
-- not first in the queue had been told his place in the queue times the longest wait, so he slept through the free lock until his own
-- time was up. The reporter saw one or two of eight succeed.
local redisson = require "redisson.fair"

return {
  title   = "R04: waiters oversleep a lock that expires",
  exhibit = { bug = "#4705 #3730", library = "Redisson", versions = "3.11.1 to 3.31.0",
              what = "waiters behind the first oversleep a lease that ends", twin = "R04_mended.lua" },
  clients = { "A", { "B", start_ms = 100 }, { "C", start_ms = 200 } },
  program = function(me)
    redisson.lock(me, "order:42"):try_acquire(10000, 1000)      -- and the lease ends by itself
  end,
  expect  = { prompt = { "violated", idle_ms = 3000 } },
  must_see = { "expiry", "wait" },
}
