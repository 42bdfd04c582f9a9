-- lock(5 s), and within it lock() through the same object. The second sends the lease of the first, which the object still has; its
-- watchdog comes after 10 s, and the lock has ended by then.
local redisson = require "redisson.lock"

return {
  title   = "H05a: a lease leaks into the lock() within it",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "a given lease leaks into a nested lock()", twin = "H05a_mended.lua" },
  clients = { "A", { "B", start_ms = 5500 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire { lease_ms = 5000 }
    lock:acquire()
    me:work(6000)
    lock:release()
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated" },
  must_see = { "re-entry" },
}
