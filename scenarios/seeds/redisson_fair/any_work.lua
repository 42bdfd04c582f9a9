-- Two clients come at any moment and work for any time: whatever one does may fall anywhere in the other.
local redisson = require "redisson.fair"

return {
  title   = "redisson/fair: work of any length",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  expect  = {
    -- Only the head of the queue may take a free lock, and it takes it in one script.
    strict_mutual_exclusion = "holds",
  },
  must_see = { "contention", "wait" },
}
