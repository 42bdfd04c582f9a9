-- The work outlasts a waiter's slot in the queue, while the watchdog keeps the lock: nobody who still waits may be forgotten.
local redisson = require "redisson.fair"

return {
  title   = "redisson/fair: the work outlasts a waiter's slot",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 331000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(me.client == "A" and 332000 or 100)
      lock:release()
    end
  end,
  expect  = {
    -- B is told what is left of the holder's lease, asks again when it is over, and never sleeps without limit.
    no_lost_wakeup = "holds",
    -- But its slot of 330 s is over when C first asks: C drops B, which has to queue again, behind C.
    fifo = "violated",
  },
  must_see = { "renewal", "wait" },
}
