-- The queue is a list and the deadlines are a sorted set, two keys. Where the second is lost, every script compares nil with a number at its
-- very first step: no acquire and no unlock works any more, for anybody, until somebody deletes the list by hand.
local redisson = require "redisson.fair"

return {
  title   = "R06a: the deadlines are lost, and every script fails",
  exhibit = { bug = "#4153 #5989 #2513", library = "Redisson", versions = "3.11.1 to 3.31.0",
              what = "every script compares a lost deadline", twin = "R06a_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { evict = { 1, of = "redisson_lock_timeout:{order:42}" } },
  expect  = { script_health = "violated", no_leak = "violated" },
  must_see = { "evict" },
}
