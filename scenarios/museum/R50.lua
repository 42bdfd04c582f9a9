-- The unlock calls the first in the queue and no other waiter. If the first has died the lock lies idle until its slot
-- is over, 5 min after it queued, though others wait. Upstream accepts that as the price of fairness.
local redisson = require "redisson.fair"

return {
  title   = "R50: a dead head blocks a free lock",
  exhibit = { bug = "#4595 #4661 #6150", library = "Redisson", versions = "3.11.1 to 4.7.0 (open)",
              what = "the dead head of the queue blocks a free lock" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(1000)
    lock:release()
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = { prompt = { "violated", idle_ms = 60000 }, no_busy_wait = "violated" },
  must_see = { "crash", "wait" },

  -- The twin of R50, a mend of ours: a waiter that finds the lock free gives the first in the queue 3 s to come, and
  -- asks again when they are over.
  twin = {
    title   = "R50 mended: a free lock does not wait for the dead",
    expect  = { prompt = { "holds", idle_ms = 60000 }, fifo = "holds", no_busy_wait = "holds" },
    patch   = {
      ["redisson/fair/acquire.lua"] = [[
@@
 if redis.call('zscore', deadlines, owner) ~= false then
-  return math.max(0, redis.call('pttl', lock))
+  if redis.call('exists', lock) == 1 then
+    return redis.call('pttl', lock)
+  end
+  local first = redis.call('lindex', queue, 0)
+  local grace_ms = 3000                        -- as long as a client waits for an answer
+  local deadline_ms = math.min(tonumber(redis.call('zscore', deadlines, first) or now_ms), now_ms + grace_ms)
+  redis.call('zadd', deadlines, deadline_ms, first)
+  return deadline_ms - now_ms
 end
]],
    },
  },
}
