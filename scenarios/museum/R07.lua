-- A tryLock that failed left its owner in the queue. The unlock then calls the one that has long gone, and every other
-- waiter waits until its slot of 5 s is over, although the lock is free.
local redisson = require "redisson.fair"

return {
  title   = "R07: a tryLock that failed leaves a ghost",
  exhibit = { bug = "#757", library = "Redisson", versions = "up to 3.2.3",
              what = "a tryLock that failed stays in the queue" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 100 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { slot_ms = 5000 })
    if lock:try_acquire(me.client == "B" and 0 or 60000) then
      me:work(50)
      lock:release()
    end
  end,
  expect  = { prompt = { "violated", idle_ms = 1000 }, no_busy_wait = "violated" },
  must_see = { "contention" },
  patch   = {
    ["redisson/fair.lua"] = [[
@@
   force_release = script "redisson/fair/force_release.lua",
-  abandon       = script "redisson/fair/abandon.lua",
 }, true)
]],
  },

  -- The twin of R07: a waiter that gives up tells the queue to forget it.
  twin = {
    title   = "R07 mended: a waiter that gives up leaves the queue",
    expect  = { prompt = { "holds", idle_ms = 1000 }, no_leak = "holds", no_busy_wait = "holds" },
    patch   = {},
  },
}
