-- Deadlines are set and judged by the clients' clocks. A client whose clock is 400 s ahead considers every waiter dead
-- at its first request, and is served before all of them.
-- Checked against redisson 4.7.0 by recordings of its scripts (fair.acquire, fair.try_once).
local redisson = require "redisson.fair"

return {
  title   = "H17: a clock that is ahead drops every waiter",
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
-local lease_ms, owner, wait_ms, now_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
+local lease_ms, owner, wait_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
]],
      ["redisson/fair/release.lua"] = [[
@@
-local message, lease_ms, owner, now_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
+local message, lease_ms, owner = ARGV[1], ARGV[2], ARGV[3]
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
]],
    },
  },
}
