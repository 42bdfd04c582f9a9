-- The second half of R06: since 3.32.0 the head of the queue may lack a deadline, but a newcomer still reckoned with
-- the deadline of the last waiter. Where that was lost no newcomer could queue: each acquire was a script error.
local redisson = require "redisson.fair"

return {
  title   = "R06b: the last one's deadline is lost, and no client can queue",
  exhibit = { bug = "#4153 #5989", library = "Redisson", versions = "3.32.0 to 3.44.0",
              what = "acquire reckons with a lost deadline" },
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
    script_health = "violated",
    -- These the twin has, too.
    matches_spec = "violated", no_leak = "violated", no_deadlock = "violated", no_busy_wait = "violated",
  },
  must_see = { "evict" },
  patch   = {
    ["redisson/fair/acquire.lua"] = [[
@@
 local last = redis.call('lindex', queue, -1)
-local last_deadline_ms = false
+local ttl_ms
 if last ~= false and last ~= owner then
-  last_deadline_ms = redis.call('zscore', deadlines, last)
-end
-local ttl_ms
-if last_deadline_ms ~= false then
-  ttl_ms = tonumber(last_deadline_ms) - now_ms
+  ttl_ms = tonumber(redis.call('zscore', deadlines, last)) - now_ms
 else
]],
  },

  -- The twin of R06b: since 3.45.0 a newcomer that finds no deadline reckons with the lock's own end.
  twin = {
    title   = "R06b mended: a newcomer can queue",
    expect  = {
      script_health = "holds",
      -- Open to this day: a waiter whose deadline was lost is queued again when it asks again. The entry that it
      -- leaves behind has no deadline, so it is never taken out, and a waiter behind it asks again without
      -- pause, for ever.
      matches_spec = "violated", no_leak = "violated", no_deadlock = "violated", no_busy_wait = "violated",
    },
    patch   = {},
  },
}
