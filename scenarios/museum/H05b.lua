-- lock(), and within it lock(5 s). The inner one cuts the lock's life to 5 s, and the watchdog's next round is 10 s
-- away.
-- Checked against redisson 4.7.0 by recordings of its script (lock.acquire: a hold more sets the TTL, also to less).
local redisson = require "redisson.lock"

return {
  title   = "H05b: a nested lease cuts the watchdog's",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "a nested lease cuts the outer hold short" },
  clients = { "A", { "B", start_ms = 5500 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    lock:acquire { lease_ms = 5000 }
    me:work(6000)
    lock:release()
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated", lease_set = "violated" },
  must_see = { "re-entry" },

  -- The twin of H05b, a mend of ours: an acquire may prolong the life of a lock that is held, and never shortens it.
  twin = {
    title   = "H05b mended: a nested lease shortens nothing",
    expect  = { mutual_exclusion = "holds", lease_set = "holds" },
    patch   = {
      ["redisson/lock/acquire.lua"] = [[
@@
 if redis.call('hexists', lock, owner) == 1 then
   redis.call('hincrby', lock, owner, 1)
-  redis.call('pexpire', lock, lease_ms)
+  if redis.call('pttl', lock) < tonumber(lease_ms) then
+    redis.call('pexpire', lock, lease_ms)      -- a hold within a hold never takes away what the outer one was promised
+  end
   return nil
 end
]],
    },
  },
}
