-- The replica falls behind while a lock is taken: who asks it with WAIT is told that nobody has the write.
local simple = require "simple.string"

return {
  title    = "fault lag: the replica falls behind",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 10 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lag = 1 },
  explore = { random = 200 },
  expect  = {
    strict_mutual_exclusion = "holds",
  },
  must_see = { "lag" },
}
