-- Two clients come at any moment and work for any time: whatever one does may fall anywhere in the other.
local redisson = require "redisson.fenced"

return {
  title   = "redisson/fenced: work of any length",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  expect  = { strict_mutual_exclusion = "holds" },
  must_see = { "contention" },
}
