-- A waiter that is never woken: Redisson's fair lock, 3.11.1 to 3.31, when its holder works for longer than a
-- lease and a place in the queue (5 s up to 3.13.2 and here, 300 s after). No crash, no pause, no lost message: users
-- met it as issues 2278, 2883, 2960, 3004 and 5503, and release 3.32.0 mended it.
local redisson = require "redisson.fair_3_13"      -- say "redisson.fair" for today's scripts: it passes

return {
  title   = "a fair lock forgets a waiter",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 }, { "C", start_ms = 36000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { slot_ms = 5000 })
    lock:acquire()                     -- without a lease of its own: the watchdog renews it
    me:work(me.client == "A" and 36500 or 100)
    lock:release()
  end,
}
