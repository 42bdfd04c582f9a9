-- While the lock is free and another is first in the queue, the script tells everybody behind him to wait 0 ms. If the first one does
-- not come, because he has died, each waiter polls as fast as the network allows, for up to 5 min.
local redisson = require "redisson.fair"

return {
  title   = "H09: waiters behind an absent head poll without a pause",
  exhibit = { bug = "#4595", library = "Redisson", versions = "3.32.0 to 4.7.0 (open)",
              what = "polling without a pause behind an absent head", twin = "H09_mended.lua" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { slot_ms = 5000 })
    if lock:acquire() then
      me:work(1000)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = { no_busy_wait = "violated" },
  must_see = { "crash", "wait" },
}
