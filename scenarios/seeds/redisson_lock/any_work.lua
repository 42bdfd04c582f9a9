-- Two clients come at any moment and work for any time: whatever one does may fall anywhere in the other.
local redisson = require "redisson.lock"

return {
  title   = "redisson/lock: work of any length",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  expect  = {
    -- exists and hincrby are one script: nothing comes between the look and the taking.
    strict_mutual_exclusion = "holds",
    -- The release publishes, and the waiter, who asked once more after subscribing, cannot miss it.
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "contention", "wait" },
}
