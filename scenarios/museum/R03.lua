-- A waiter who asks again is told deadline - wait - now: the lock's end as it looked when he queued. While the holder's watchdog renews the
-- lock that falls below 0, and the client then parks without limit. Others take him for dead and drop him from the queue, and no
-- message ever names him. Here with the slot of 5 s of that time.
local redisson = require "redisson.fair"

return {
  title   = "R03: a negative wait means sleep for ever",
  exhibit = { bug = "#2278 #2883 #2960 #3004 #5503", library = "Redisson", versions = "3.11.1 to 3.31.0",
              what = "a negative wait means sleep for ever", twin = "R03_mended.lua" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 36000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { slot_ms = 5000 })
    lock:acquire()
    me:work(me.client == "A" and 36500 or 100)
    lock:release()
  end,
  expect  = { no_lost_wakeup = "violated", no_deadlock = "violated" },
  must_see = { "renewal", "wait" },
}
