-- A message goes to those who are connected at that moment, and to them once. A waiter whose subscription is being renewed when the
-- lock is freed hears nothing, and sleeps beside a free lock until the lease that he was told of would have ended.
local redisson = require "redisson.lock"

return {
  title   = "G9: a message comes at most once",
  exhibit = { bug = "G9", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "a lost unlock message is slept through", twin = "G9_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { lose_message = 1 },
  expect  = { prompt = { "violated", idle_ms = 10000 } },
  must_see = { "lose_message", "wait" },
}
