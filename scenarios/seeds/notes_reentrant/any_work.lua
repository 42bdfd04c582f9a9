-- Two clients come at any moment and work for any time: whatever one does may fall anywhere in the other.
local notes = require "notes.reentrant"

return {
  title   = "notes/reentrant: work of any length",
  clients = { "A", "B" },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  expect  = {
    -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
    script_health = "violated",
  },
  must_see = { "contention", "wait" },
}
