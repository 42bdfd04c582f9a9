-- While the lock is free and another is first in the queue, the script tells everybody behind him to wait 0 ms. If the
-- first one does not come, because he has died, each waiter polls as fast as the network allows, for up to 5 min.
local redisson = require "redisson.fair"

return {
  title   = "H09: waiters behind an absent head poll without a pause",
  exhibit = { bug = "#4595", library = "Redisson", versions = "3.32.0 to 4.7.0 (open)",
              what = "polling without a pause behind an absent head" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { slot_ms = 5000 })
    if lock:acquire() then
      me:work(1000)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = { no_busy_wait = "violated" },
  must_see = { "crash", "wait" },

  -- The twin of H09, a mend of ours: whoever finds the lock free behind another asks again after 100 ms.
  twin = {
    title   = "H09 mended: a pause between two questions",
    expect  = { no_busy_wait = "holds" },
    patch   = {
      ["redisson/fair/acquire.lua"] = [[
@@
--- acquire.lua: take the fair lock in the order of asking, or queue for it (Redisson since 3.45.0).
+-- acquire.lua: take the fair lock in the order of asking, or queue for it with a mend of ours against polling without
+-- a pause.
 -- KEYS  1 lock (hash: owner -> holds), 2 queue (list of owners), 3 deadlines (sorted set: owner -> instant)
@@
 local lease_ms, owner, wait_ms, now_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
+local pause_ms = 100

@@
   local waiting = redis.call('zrange', deadlines, 0, -1)
-  for i = 1, #waiting do  -- locksim: allow LS014 as Redisson does it: as many rounds as wait
+  for i = 1, #waiting do
     redis.call('zincrby', deadlines, -wait_ms, waiting[i])
@@

--- Already queued: the holder's lease says how long. A free lock that is another's turn gives 0.
+-- Already queued: the holder's lease says how long. A free lock that is another's turn is asked for again in a while.
 if redis.call('zscore', deadlines, owner) ~= false then
-  return math.max(0, redis.call('pttl', lock))
+  local ttl_ms = redis.call('pttl', lock)
+  return ttl_ms > 0 and ttl_ms or pause_ms
 end
]],
    },
  },
}
