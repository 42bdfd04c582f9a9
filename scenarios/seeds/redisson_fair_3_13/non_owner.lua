-- Somebody who holds nothing releases the lock: the holder must not notice, and the stranger should be told.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: a release by a stranger",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.client == "A" then
      lock:acquire()
      me:work(100)
      assert(lock:release() == true)
    else
      lock:release()
    end
  end,
  expect  = {
    -- The holder is never disturbed.
    strict_mutual_exclusion = "holds",
    -- A release looks for its own owner id first.
    owner_only = "holds",
    -- While the lock is free, a stranger's release is answered "released": the script takes a lock that is gone for released.
    matches_spec = "violated",
  },
  must_see = { "grant", "release" },
}
