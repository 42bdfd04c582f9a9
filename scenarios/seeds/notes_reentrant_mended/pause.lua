-- The holder is paused past its lease: when it wakes it still believes to hold what another has taken.
local notes = require "notes.reentrant_mended"

return {
  title   = "notes/reentrant_mended: a pause longer than the lease",
  clients = { "A", "B" },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { pause = 1 },
  explore = { random = 2000 },
  must_see = { "pause", "expiry" },
}
