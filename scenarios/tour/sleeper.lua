-- A waiter that nobody will ever wake: the fair lock of Redisson up to 3.31, when its holder works for longer than one
-- lease. No crash, no pause, no lost message. Its users met it as issues 2278, 2883, 2960, 3004 and 5503; release
-- 3.32.0 mended it.
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
