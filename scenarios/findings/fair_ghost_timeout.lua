-- A fair lock's acquire queues its caller. If its answer is lost, lock() ends in an exception after 3 s, and nothing
-- takes the caller out of the queue: neither here nor after an interrupt, nor when the first try of tryLock hears
-- nothing. It is gone, though its process lives, and the next unlock is told to it alone. Every other one waits until
-- its slot ends, which is five minutes behind the lease: beside a free lock, and asking without a pause. R50 of the
-- museum needs a dead process for this; here one lost answer is enough, and each caller that tries again in the
-- meantime is queued behind.
--
-- How likely: as likely as one time-out of an acquire that has to wait, which a short stall of the server makes of all
-- of them at once. The mend: send the abandon on every way out, as tryLock does when its time is up (the twin).
-- Checked against redisson 4.7.0 by reading RedissonLock.lock and tryLock (an exception leaves them past
-- RedissonFairLock.acquireFailedAsync, which is what takes a thread out of the queue) and by recordings of its script
-- (fair.acquire).
local fair = require "redisson.fair"

return {
  title   = "one lost answer leaves a ghost at the head of the fair queue",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = fair.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "B" } },
  expect  = {
    -- For 330 s.
    prompt = "violated",
    no_busy_wait = "violated",
  },
  must_see = { "lose_reply", "contention" },

  -- The same with our mend: a caller that leaves with an exception is taken out of the queue. A lock that it was given
  -- without hearing of it still has to end by its lease.
  twin = {
    title   = "a caller that leaves with an exception leaves the queue",
    expect  = {
      prompt = { "holds", idle_ms = 30001 },
      no_busy_wait = false,
    },
    patch   = {
      ["redisson/client/steps.lua"] = [[
@@
 function M.failed(lock, problem)
-  lock.me:gave_up(lock.name)
+  M.abandoned(lock, -1)
   return nil, transport.reason(problem)
]],
    },
  },
}
