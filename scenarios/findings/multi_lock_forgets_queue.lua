-- A multi-lock with a lease is made of fair locks. At its end it sets that lease for each of them, and a fair lock's
-- time to live is that of its queue, too: from then on the waiters have as long as the lease, whatever the lock's owner
-- by then. A takes X and Y for three seconds while B and C queue for X, and gives them back at once. B is told,
-- and works for five seconds; after three the queue is gone, and C with it. B's unlock finds no waiter to tell, and C
-- sleeps beside a free lock for as long as B's hold might have lasted: 25 s.
--
-- How likely: certain, wherever a lock that is waited for by two is taken within a group with a lease, and the first
-- of them works for longer than that lease. The mend: set the lease of the lock itself, not of its queue (the twin).
-- Checked against redisson 4.7.0 by reading (RedissonFairLock.expireAsync), and by recordings of that script in 3.11.1
-- (fair.expire: one time for all three keys).
local fair = require "redisson.fair"
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return {
  title   = "the lease of a group ends the queue of its fair lock",
  clients = { { "A", start_ms = 1 }, { "B", start_ms = 10 }, { "C", start_ms = 20 }, { "D", start_ms = 0 } },
  program = function(me)
    local x, y = fair.lock(me, "X"), redisson.lock(me, "Y")
    if me.client == "A" then
      local both = group.lock(me, "X and Y", { x, y })
      if both:try_acquire(1000, 3000) then
        me:work(10)
        both:release()
      end
      return
    end
    local lock = me.client == "D" and y or x
    if lock:acquire() then
      me:work(me.client == "B" and 5000 or 50)
      lock:release()
    end
  end,
  expect  = { prompt = { "violated", idle_ms = 1000 } },
  must_see = { "wait" },

  -- The same with our mend: the queue keeps its own time.
  twin = {
    title   = "a group leaves the queues of its locks alone",
    expect  = { prompt = { "holds", idle_ms = 1000 } },
    patch   = {
      ["redisson/multi/keep.lua"] = [[
@@
 local function keys_of(lock)
-  local more = lock.family.expires
-  return more and more(lock) or { lock.name }
+  return { lock.name }
 end
]],
    },
  },
}
