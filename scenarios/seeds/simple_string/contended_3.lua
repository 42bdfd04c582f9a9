-- Three clients want the lock at once, twice each: who asked first should be served first, and nobody forgotten.
local simple = require "simple.string"

return {
  title   = "simple/string: three clients",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 30, retry_ms = 250 })
    for _ = 1, 2 do
      lock:acquire()
      me:work(100)
      lock:release()
    end
  end,
  explore = { random = 1000 },
  must_see = { "contention", "wait" },
}
