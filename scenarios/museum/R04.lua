-- Holders let the lease end instead of unlocking, and an expiry sends no message: each waiter must wake up by itself.
-- But a waiter behind the first had been told its place in the queue times the longest wait, so it slept through
-- the free lock until its own time was up. The reporter saw one or two of eight succeed.
local redisson = require "redisson.fair"

return {
  title   = "R04: waiters oversleep a lock that expires",
  exhibit = { bug = "#4705 #3730", library = "Redisson", versions = "3.11.1 to 3.31.0",
              what = "waiters behind the first oversleep a lease that ends" },
  clients = { "A", { "B", start_ms = 100 }, { "C", start_ms = 200 } },
  program = function(me)
    redisson.lock(me, "order:42"):try_acquire(10000, 1000)      -- and the lease ends by itself
  end,
  expect  = { prompt = { "violated", idle_ms = 3000 } },
  must_see = { "expiry", "wait" },
  patch   = {
    ["redisson/fair.lua"] = [[
-- fair.lua: the fair lock as it was shipped from 3.13.3 on: a queued waiter is told deadline - wait - now.
return require "redisson.fair_3_13"
]],
  },

  -- The twin of R04: every waiter is told how long the lock's key still lives, so all of them ask again when it ends.
  twin = {
    title   = "R04 mended: waiters ask again when the lease ends",
    expect  = {
      prompt = { "holds", idle_ms = 3000 },
      -- Open to this day, and an exhibit of its own (H09): while the first in the queue has not come yet, the second
      -- is told 0 ms.
      no_busy_wait = "violated",
    },
    patch   = {},
  },
}
