-- The fair lock of today (4.7.0) loses the deadlines of its queue: the sorted set is evicted, or its TTL ends before
-- the list's. A waiter that asks again finds no deadline of its own and is queued again. When it is served one
-- entry of it stays behind, without a deadline, and what has no deadline is never taken out: a waiter behind that entry
-- polls without a pause, for ever, beside a free lock.
--
-- How likely: as likely as the loss of one key of three under maxmemory with an eviction policy; no client has to
-- fail. It then lasts until the list is deleted by hand. The mend: queue only a waiter that does not stand in the list
-- (the twin).
-- Checked against redisson 4.7.0 by recordings of its scripts (fair.acquire, fair.release).
local redisson = require "redisson.fair"

return {
  title   = "the fair lock queues a waiter twice when its deadline is lost",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { evict = { 1, of = "redisson_lock_timeout:{order:42}" } },
  expect  = {
    no_deadlock = "violated", no_leak = "violated", matches_spec = "violated", no_busy_wait = "violated",
  },
  must_see = { "evict", "wait" },

  -- The same with our mend: a waiter whose deadline was lost keeps its place in the list, and gets a deadline when it
  -- asks again.
  twin = {
    title   = "the fair lock with a waiter's deadline lost, mended",
    expect  = { no_deadlock = "holds", no_leak = "holds", matches_spec = false, no_busy_wait = false },
    patch   = {
      ["redisson/fair/acquire.lua"] = [[
@@
 end
-if redis.call('zadd', deadlines, ttl_ms + wait_ms + now_ms, owner) == 1 then
+redis.call('zadd', deadlines, ttl_ms + wait_ms + now_ms, owner)
+if redis.call('lpos', queue, owner) == false then
   redis.call('rpush', queue, owner)
]],
    },
  },
}
