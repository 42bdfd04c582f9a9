-- The mend of R29b went too far: the lease of a hold is not remembered at all, so when one of two holds is given back the lock gets
-- the watchdog's 30 s instead of the 10 s that were asked for, and nobody renews it. If its holder then dies the others wait three
-- times as long.
local redisson = require "redisson.lock"

return {
  title   = "R29c: a partial unlock makes the lease longer",
  exhibit = { bug = "#5623", library = "Redisson", versions = "3.19.2 to 3.27.1",
              what = "a partial unlock sets another lease", twin = "R29c_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 10000 })
    lock:acquire()
    lock:acquire()
    me:work(100)
    lock:release()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = { prompt = { "violated", idle_ms = 15000 } },
  must_see = { "crash", "expiry", "re-entry" },
}
