-- Two clients come at any moment and work for any time: whatever one does may fall anywhere in the other.
local redisson = require "redisson.lock"

return {
  title   = "redisson/lock_replicated: work of any length",
  clients = { "A", "B" },
  replicas = 1,
  program = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  expect  = { strict_mutual_exclusion = "holds" },
  must_see = { "contention" },
}
