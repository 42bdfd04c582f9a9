-- The unlock calls the first in the queue and nobody else. If he has died the lock lies idle until his slot is over, 5 min after he
-- queued, whoever else waits. Upstream takes that for the price of fairness.
local redisson = require "redisson.fair"

return {
  title   = "R50: a dead head blocks a free lock",
  exhibit = { bug = "#4595 #4661 #6150", library = "Redisson", versions = "3.11.1 to 4.7.0 (open)",
              what = "the dead head of the queue blocks a free lock", twin = "R50_mended.lua" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(1000)
    lock:release()
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = { prompt = { "violated", idle_ms = 60000 }, no_busy_wait = "violated" },
  must_see = { "crash", "wait" },
}
