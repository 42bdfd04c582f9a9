-- A waiter asks, hears that the lock is held, subscribes, and parks. If the lock is freed before he has subscribed nobody hears the
-- message, and he sleeps beside a free lock until the lease that he was told of would have ended.
local redisson = require "redisson.lock"

return {
  title   = "R35: check, then subscribe, then sleep",
  exhibit = { bug = "#89", library = "Redisson", versions = "up to 1.1.5",
              what = "an unlock before the subscription is not heard", twin = "R35_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(10)
    lock:release()
  end,
  expect  = { prompt = { "violated", idle_ms = 10000 } },
  must_see = { "wait" },
}
