-- Deadlines are set and judged by the clients' clocks. A client whose clock is 400 s ahead takes every waiter for dead
-- with his first question, and is served before all of them.
-- Checked against redisson 4.7.0 by recordings of its scripts (fair.acquire, fair.try_once).
local redisson = require "redisson.fair"

return {
  title   = "H17: a clock that is ahead drops everybody who waits",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "a client's clock decides who is dead" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { clock_jump = { 1, ms = 400000, of = "C" } },
  expect  = { fifo = "violated" },
  must_see = { "clock_jump", "wait" },

  -- The twin of H17, a mend of ours: the server's clock decides, so it is the same for all.
  twin = {
    title   = "H17 mended: one clock for all",
    expect  = { fifo = "holds" },
    patch   = {
      ["redisson/fair/acquire.lua"] = [[
@@
--- acquire.lua: take the fair lock in the order of asking, or queue for it (Redisson since 3.45.0).
+-- acquire.lua: take the fair lock in the order of asking, or queue for it by the server's clock.
 -- KEYS  1 lock (hash: owner -> holds), 2 queue (list of owners), 3 deadlines (sorted set: owner -> instant)
--- ARGV  1 lease in milliseconds, 2 owner, 3 the longest wait in milliseconds, 4 now, by the client's clock
+-- ARGV  1 lease in milliseconds, 2 owner, 3 the longest wait in milliseconds, 4 the client's clock, which decides
+-- nothing
 -- Returns nil when the lock is ours; otherwise how many milliseconds to wait before asking again
@@
 local lock, queue, deadlines = KEYS[1], KEYS[2], KEYS[3]
-local lease_ms, owner, wait_ms, now_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
+local lease_ms, owner, wait_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

@@
   local waiting = redis.call('zrange', deadlines, 0, -1)
-  for i = 1, #waiting do  -- locksim: allow LS014 as Redisson does it: as many rounds as wait
+  for i = 1, #waiting do
     redis.call('zincrby', deadlines, -wait_ms, waiting[i])
]],
      ["redisson/fair/release.lua"] = [[
@@
--- release.lua: give back one hold of the fair lock; at the last one wake the first in the queue (Redisson since
--- 3.45.0).
+-- release.lua: give back one hold of the fair lock; at the last one wake the first in the queue by the server's clock.
 -- KEYS  1 lock, 2 queue, 3 deadlines, 4 prefix of the waiters' channels, 5 latch
--- ARGV  1 message, 2 lease in milliseconds while holds remain, 3 owner, 4 now, by the client's clock, 5 publish
--- command,
+-- ARGV  1 message, 2 lease in milliseconds while holds remain, 3 owner, 4 the client's clock, which decides nothing, 5
+-- publish command,
 --       6 latch's life in milliseconds
@@
 local lock, queue, deadlines, channels, latch = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
-local message, lease_ms, owner, now_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
+local message, lease_ms, owner = ARGV[1], ARGV[2], ARGV[3]
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
 local publish, latch_ms = ARGV[5], ARGV[6]
]],
    },
  },
}
