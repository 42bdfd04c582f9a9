-- The work outlasts a waiter's slot in the queue, while the watchdog keeps the lock: nobody who still waits may be forgotten.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: the work outlasts a waiter's slot",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 331000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(me.client == "A" and 332000 or 100)
      lock:release()
    end
  end,
  expect  = {
    -- After 30 s B is told deadline - wait - now, which is below 0 by then, and sleeps without limit. C's first question takes B for dead
    -- (its slot of 330 s is over) and drops it; from then on no message ever names B.
    no_lost_wakeup = "violated",
    no_deadlock    = "violated",
    -- B is overtaken by C and by everybody after it.
    fifo = "violated",
  },
  must_see = { "renewal", "wait" },
}
