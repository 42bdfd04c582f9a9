-- Threads of one process share one subscription, and an unlock message is one permit among them. B's first thread
-- waits 100 ms at most, its second without limit. The message comes when the first one's time is up: it takes the
-- permit, sees that no time is left, and returns false, neither asking for the lock nor passing the permit on. The
-- lock is free, and the second thread sleeps until the lease that it was told of would have ended: 30 s. No client
-- fails and nothing is lost.
--
-- How likely: the message must arrive in the last moment of a tryLock with a wait, before the thread runs again: about
-- the time that a thread takes to be woken, of each wait. Where many threads use short waits beside others with
-- lock(), it happens daily, and looks like a lock slow now and then. The mend: a thread that takes a permit when its
-- time is up gives it back (the twin).
-- Checked against redisson 4.7.0 by reading RedissonLock.tryLock(waitTime, leaseTime, unit): behind tryAcquire of the
-- latch it leaves when no time is left, whatever that said.
local redisson = require "redisson.lock"

return {
  title   = "a permit goes to a thread whose time is up",
  clients = { "A", { "B", threads = 2 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000 })
    local got
    if me.id == "B:1" then
      got = lock:try_acquire(100)
    else
      got = lock:acquire()
    end
    if got then
      me:work(100)
      lock:release()
    end
  end,
  expect  = { prompt = { "violated", idle_ms = 20000 } },
  must_see = { "message" },

  -- The same with our mend: the permit goes on to the next thread of the process.
  twin = {
    title   = "a permit that comes too late is passed on",
    expect  = { prompt = { "holds", idle_ms = 1 } },
    patch   = {
      ["redisson/client/try_lock.lua"] = [[
@@
-    local _, interrupted = park(entry, ttl_ms >= 0 and math.min(ttl_ms, left_ms) or left_ms)
+    local woken, interrupted = park(entry, ttl_ms >= 0 and math.min(ttl_ms, left_ms) or left_ms)
+    if woken and me:now() >= until_ms then
+      entry.latch:release(1)                   -- the time is up: the permit is for the next thread of this process
+    end
]],
    },
  },
}
