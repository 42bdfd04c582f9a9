-- The holder is paused past its lease: when it wakes it still believes to hold what another has taken.
local simple = require "simple.counted"

return {
  title   = "simple/counted: a pause longer than the lease",
  clients = { "A", "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 30, retry_ms = 250 })
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { pause = 1 },
  explore = { random = 2000 },
  must_see = { "pause", "expiry" },
}
