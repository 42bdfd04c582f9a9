-- The work takes longer than the lease: the lock goes to the next while the first still believes to hold it.
local notes = require "notes.fair"

return {
  title   = "notes/fair: the work outlasts the lease",
  clients = { "A", { "B", start_ms = 100 } },
  program = function(me)
    local lock = notes.lock(me, "{order:42}", { lease_ms = 1000 })
    if lock:acquire() then
      me:work(1500)
      lock:release()                           -- for the one who overstayed: nil, "not owner"
    end
  end,
  expect  = {
    -- No two promises overlap.
    mutual_exclusion = "holds",
    -- The lock expires, but its owner stays at the head of the queue until he releases: nobody else is let in before that.
    strict_mutual_exclusion = "holds",
  },
  must_see = { "expiry", "wait" },
}
