-- lock(), and within it lock(30 s) and its unlock. The inner unlock takes one hold off the watchdog, which was never told of it: so
-- the outer hold is not renewed any more, and ends after 30 s of work.
local redisson = require "redisson.lock"

return {
  title   = "H05c: the unlock of a lease stops the watchdog",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "unlock of a nested lease stops the watchdog", twin = "H05c_mended.lua" },
  clients = { "A", { "B", start_ms = 31000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    lock:acquire { lease_ms = 30000 }
    lock:release()
    me:work(32000)
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated" },
  must_see = { "re-entry" },
}
