-- Three clients want the lock at once, twice each: who asked first should be served first, and nobody forgotten.
local notes = require "notes.reentrant_mended"

return {
  title   = "notes/reentrant_mended: three clients",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    for _ = 1, 2 do
      lock:acquire()
      me:work(100)
      lock:release()
    end
  end,
  explore = { random = 1000 },
  must_see = { "contention", "wait" },
}
