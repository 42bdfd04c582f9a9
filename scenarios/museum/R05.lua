-- A proposal for the head of the queue that has died: while the lock is free, a client that asks drops every waiter
-- before it and queues itself. But it is told -2, for there is no key, and parks without limit; and the one it
-- dropped was alive and on its way. If each drops the other the lock is free and both sleep; if not, the newcomer is
-- served first.
local redisson = require "redisson.fair"

return {
  title   = "R05: a newcomer drops those before it and sleeps",
  exhibit = { bug = "#3178 #3186", library = "Redisson", versions = "none: a pull request, taken back",
              what = "a newcomer drops live waiters and sleeps" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 100 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  expect  = { no_lost_wakeup = "violated", no_deadlock = "violated", fifo = "violated", matches_spec = "violated" },
  must_see = { "wait" },
  patch   = {
    ["redisson/fair/acquire.lua"] = [[
@@
   redis.call('hincrby', lock, owner, 1)
   redis.call('pexpire', lock, lease_ms)
   return nil
+end
+
+-- The head of the queue while the lock is free is considered slow and dropped. But a waiter that was woken a moment
+-- ago is such a head, too.
+while redis.call('exists', lock) == 0 do
+  local first = redis.call('lindex', queue, 0)
+  if first == false or first == owner then
+    break
+  end
+  redis.call('zrem', deadlines, first)
+  redis.call('lpop', queue)
 end

 -- Already queued: the holder's lease says how long. A free lock that is another's turn gives 0.
]],
  },

  -- The twin of R05: only a waiter whose deadline has passed is dropped. R50 has the dead head of the proposal.
  twin = {
    title   = "R05 mended: a free lock is the first waiter's",
    expect  = { no_lost_wakeup = "holds", no_deadlock = "holds", fifo = "holds", matches_spec = false },
    patch   = {},
  },
}
