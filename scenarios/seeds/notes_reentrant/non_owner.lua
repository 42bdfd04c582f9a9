-- Somebody who holds nothing releases the lock: the holder must not notice.
local notes = require "notes.reentrant"

return {
  title   = "notes/reentrant: a release by a stranger",
  clients = { "A", "B" },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    if me.client == "A" then
      lock:acquire()
      me:work(100)
      lock:release()
    else
      local freed, why = lock:release()
      assert(freed == nil and why == "not owner")
    end
  end,
  expect  = {
    -- The holder is never disturbed.
    strict_mutual_exclusion = "holds",
    -- A release looks for its own owner id first.
    owner_only = "holds",
    -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
    script_health = "violated",
  },
  must_see = { "grant" },
}
