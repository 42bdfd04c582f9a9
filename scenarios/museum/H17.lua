-- Deadlines are set and judged by the clients' clocks. A client whose clock is 400 s ahead takes every waiter for dead with his first
-- question, and is served before all of them.
local redisson = require "redisson.fair"

return {
  title   = "H17: a clock that is ahead drops everybody who waits",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "a client's clock decides who is dead", twin = "H17_mended.lua" },
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
}
