-- lockInterruptibly() of a faster multi-lock, called without a lease, is lock(): the interrupt is swallowed, and who
-- was told to stop waits on and gets the lock. With a lease the same call hears the interrupt.
--
-- How likely: certain, for each interrupt of a thread that waits in this call (a cancelled job, a pool that is shut
-- down). B is interrupted while it is parked, as the schedule says, and so must never hold the value. The mend: the
-- call says that it can be interrupted, as lockInterruptibly(lease) does (the twin). Checked against redisson 4.7.0 by
-- reading (RedissonFasterMultiLock passes `false` for `interruptible`, in a version before it and in one after it),
-- and by a trace of the real client for what lock() does then: fast_08 (interrupted while parked, it waits on and gets
-- the lock).
local faster = require "redisson.faster_multi"

return {
  title   = "lockInterruptibly() of the faster multi-lock swallows an interrupt",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = faster.lock(me, "stock", { "x" })
    if me.client == "A" then
      lock:acquire()
      me:work(5000)
      lock:release()
    elseif lock:acquire { interruptibly = true } then
      lock:release()
    end
  end,
  faults  = { interrupt = { 1, of = "B" } },
  explore = { schedule = "A +10 B B.acquire B<answer.acquire B B.subscribe B<answer.subscribe B.acquire " ..
                         "B<answer.acquire B +500 !interrupt B" },
  always  = function(view)
    return not view.holders["B:1"]
  end,
  expect  = { always = "violated" },
  must_see = { "interrupt", "wait" },

  twin = {
    title   = "lockInterruptibly() of the faster multi-lock hears an interrupt",
    expect  = { always = "holds" },
    patch   = {
      ["redisson/faster_multi.lua"] = [[
@@
   local family = { key = group, latched = true, retried = true, keeps_lease = true, throws_timeout = true,
-                   deaf = true }
+                   deaf = false }
]],
    },
  },
}
