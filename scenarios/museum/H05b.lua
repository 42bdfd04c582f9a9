-- lock(), and within it lock(5 s). The inner one cuts the lock's life to 5 s, and the watchdog's next round is 10 s away.
local redisson = require "redisson.lock"

return {
  title   = "H05b: a nested lease cuts the watchdog's",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "a nested lease cuts the outer hold short", twin = "H05b_mended.lua" },
  clients = { "A", { "B", start_ms = 5500 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    lock:acquire { lease_ms = 5000 }
    me:work(6000)
    lock:release()
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated", lease_set = "violated" },
  must_see = { "re-entry" },
}
