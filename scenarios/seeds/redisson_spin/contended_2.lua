-- Two clients want the lock at once, and nobody tells who waits: he asks again, at first after 1 ms, then after 2, 4 and so on.
local redisson = require "redisson.spin"

return {
  title   = "redisson/spin: two clients",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Six sleeps of 1 to 32 ms, with 15 ms of jitter at most, end 78 ms after the beginning; the seventh, of 64 ms and 6 more, at 148 ms.
    -- The lock is free from 100 ms on.
    prompt = { "holds", idle_ms = 48 },
    no_busy_wait = "holds",
  },
  must_see = { "contention" },
}
