-- A waiter that asks again is told deadline - wait - now: the lock's end as it looked when it queued. While the
-- holder's watchdog renews the lock that falls below 0, and the client then parks without limit. Others consider it
-- dead and drop it from the queue, and no message ever names it. Here with the slot of 5 s of that time.
local redisson = require "redisson.fair"

return {
  title   = "R03: a negative wait means sleep for ever",
  exhibit = { bug = "#2278 #2883 #2960 #3004 #5503", library = "Redisson", versions = "3.11.1 to 3.31.0",
              what = "a negative wait means sleep for ever" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 36000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { slot_ms = 5000 })
    lock:acquire()
    me:work(me.client == "A" and 36500 or 100)
    lock:release()
  end,
  expect  = { no_lost_wakeup = "violated", no_deadlock = "violated" },
  must_see = { "renewal", "wait" },
  patch   = {
    ["redisson/fair.lua"] = [[
-- fair.lua: the fair lock as it was shipped from 3.13.3 on: a queued waiter is told deadline - wait - now.
return require "redisson.fair_3_13"
]],
  },

  -- The twin of R03: since 3.32.0 a queued waiter is told how long the lock's key still lives, and never less than 0.
  twin = {
    title   = "R03 mended: no waiter sleeps for ever",
    expect  = { no_lost_wakeup = "holds", no_deadlock = "holds" },
    patch   = {},
  },
}
