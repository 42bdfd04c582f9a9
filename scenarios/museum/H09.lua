-- While the lock is free and another is first in the queue, the script tells each waiter behind it to wait 0 ms. If the
-- first one does not come, because it has died, each waiter polls as fast as the network allows, for up to 5 min.
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

  -- The twin of H09, a mend of ours: a waiter that finds the lock free behind another asks again after 100 ms.
  twin = {
    title   = "H09 mended: a pause between two questions",
    expect  = { no_busy_wait = "holds" },
    patch   = {
      ["redisson/fair/acquire.lua"] = [[
@@
 local lease_ms, owner, wait_ms, now_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
+local pause_ms = 100

@@

 -- Already queued: the holder's lease says how long. A free lock that is another's turn gives 0.
 if redis.call('zscore', deadlines, owner) ~= false then
-  return math.max(0, redis.call('pttl', lock))
+  local ttl_ms = redis.call('pttl', lock)
+  return ttl_ms > 0 and ttl_ms or pause_ms
 end
]],
    },
  },
}
