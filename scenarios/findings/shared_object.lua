-- Two threads share one lock object, as they may. One unlocks; before it has read the answer the other is granted the
-- free lock for 60 s, which the object notes. Then the late answer sets the object back to the watchdog's 30 s, and
-- the first of two nested unlocks sends that: the lock ends 30 s later, in the middle of a hold that was promised a
-- minute, and no watchdog renews it.
--
-- How likely: it takes a shared object, a lease of more than 30 s, and a re-entry; the window is the way of one
-- answer. The mend: an unlock that leaves holds over never shortens what is left (the twin, the same as for H05d of
-- the museum).
-- Checked against redisson 4.7.0 by reading RedissonLock.cancelExpirationRenewal(threadId, unlockResult), which sets
-- internalLockLeaseTime back when the answer to an unlock comes, and RedissonLock.tryAcquireAsync, which sets it.
local redisson = require "redisson.lock"

return {
  title   = "a late unlock answer shortens another thread's lease",
  clients = { { "A", threads = 2 }, { "B", start_ms = 31000 } },
  program = function(me)
    me.process.lock = me.process.lock or redisson.lock(me, "order:42")
    local lock = me.process.lock:in_task(me)
    if me.id == "A:1" then
      lock:acquire { lease_ms = 60000 }
      lock:acquire { lease_ms = 60000 }
      me:work(100)
      lock:release()
      me:work(40000)
      lock:release()
    elseif lock:try_acquire(nil, 1000) then
      lock:release()
    end
  end,
  expect  = { mutual_exclusion = "violated", lease_set = "violated" },
  must_see = { "re-entry" },

  -- The same with our mend: an unlock that leaves holds over never shortens what is left.
  twin = {
    title   = "a late unlock answer shortens nothing",
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
