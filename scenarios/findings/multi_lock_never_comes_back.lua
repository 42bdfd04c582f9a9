-- A thread in lock() of a multi-lock is interrupted while it waits for an answer. The exception counts as a refusal,
-- but the thread's interrupt flag stays set: from then on each try of a lock sends its request, does not wait for the
-- answer, and counts as refused too. The requests are executed all the same: each re-enters the first lock and
-- starts its watchdog. So lock() never returns and never takes the second lock, it sends as fast as it can, and the
-- first lock stays held by a thread that does not know of it, however often it would be released.
--
-- How likely: an interrupt (a cancelled job, a shutdown of a pool) within the round trip of an acquire. An interrupt
-- while the thread is parked does no harm: it is forgotten, and the next try is made as if nothing had been. The mend:
-- lock(), which is not to be interrupted, waits on for the answer and leaves the flag for its caller (the twin).
-- Checked against redisson 4.7.0 by reading RedissonMultiLock.tryLock(waitTime, leaseTime, unit), whose catch of
-- Exception counts it as a refusal, and by traces of the real client for its parts: lock_23 (an interrupted acquire
-- throws with the flag set, and is executed), multi_08 (parked, the flag is gone).
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return {
  title   = "an interrupted multi-lock never comes back from lock()",
  servers = 2,
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local x, y = redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y")
    if me.client == "B" then
      if x:acquire() then
        x:release()
      end
      return
    end
    local both = group.lock(me, "X and Y", { x, y })
    if both:acquire() then
      me:work(1)
      if both:release() == nil then
        y:release()                            -- an interrupt within unlock() leaves the second lock
      end
    end
  end,
  faults  = { interrupt = { 1, of = "A" } },
  end_ms  = 6000,
  expect  = { prompt = { "violated", idle_ms = 3001 } },
  must_see = { "interrupt" },

  twin = {
    title   = "an interrupted multi-lock takes its locks all the same",
    expect  = { prompt = { "holds", idle_ms = 3001 } },
    patch   = {
      ["redisson/client/flag.lua"] = [[
@@
   local flag = lock.flag
   if not flag then
     return sent:wait()
-  elseif flag.joins then
-    return M.join(flag, sent)
-  elseif flag.set then
-    return nil, "interrupted"
   end
-  return sent:wait()
+  return M.join(flag, sent)
 end
]],
    },
  },
}
