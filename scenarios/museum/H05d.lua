-- Two lock objects for one lock: lock(60 s) twice through the first, unlock once through the second. It knows nothing
-- of that lease, sets the lock to 30 s, and no watchdog renews it: it ends in the middle of the outer hold.
-- Checked against redisson 4.7.0 by recordings of its script (lock.release: what is left is given the TTL that the
-- unlock sends) and reading RedissonLock.unlockInnerAsync (it is the lease of the object).
local redisson = require "redisson.lock"

return {
  title   = "H05d: another object shortens the lease",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "unlock through another object cuts the lease" },
  clients = { "A", { "B", start_ms = 31000 } },
  program = function(me)
    local lock, other = redisson.lock(me, "order:42"), redisson.lock(me, "order:42")
    lock:acquire { lease_ms = 60000 }
    lock:acquire { lease_ms = 60000 }
    other:release()
    me:work(32000)
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated", lease_set = "violated" },
  must_see = { "re-entry" },

  -- The twin of H05d, a mend of ours: an unlock may prolong the life of a lock that is still held, and never shortens
  -- it.
  twin = {
    title   = "H05d mended: an unlock shortens nothing",
    expect  = { mutual_exclusion = "holds", lease_set = "holds" },
    patch   = {
      ["redisson/lock/release.lua"] = [[
@@
 if redis.call('hincrby', lock, owner, -1) > 0 then
-  redis.call('pexpire', lock, lease_ms)
+  if redis.call('pttl', lock) < tonumber(lease_ms) then
+    redis.call('pexpire', lock, lease_ms)      -- what is left was promised: it is never made shorter
+  end
   redis.call('set', latch, 0, 'px', latch_ms)
]],
    },
  },
}
