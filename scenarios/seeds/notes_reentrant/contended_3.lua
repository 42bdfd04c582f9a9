-- Three clients want the lock at once, twice each: who asked first should be served first, and nobody forgotten.
local notes = require "notes.reentrant"

return {
  title   = "notes/reentrant: three clients",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    for _ = 1, 2 do
      if lock:acquire() then
        me:work(100)
        lock:release()
      end
    end
  end,
  expect  = {
    -- However many ask, one script at a time decides.
    strict_mutual_exclusion = "holds",
    -- There is no queue; and since no message is ever sent, who asks at the right moment is served.
    fifo = "violated",
    -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
    script_health = "violated",
  },
  must_see = { "contention", "wait" },
}
