-- Two clients want the lock at once: one must wait, and must be let in when the other has finished.
local notes = require "notes.reentrant"

return {
  title   = "notes/reentrant: two clients",
  clients = { "A", "B" },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
    script_health = "violated",
  },
  must_see = { "contention", "wait" },
}
