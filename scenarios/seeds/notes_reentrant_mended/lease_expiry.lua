-- The work takes longer than the lease: the lock goes to the next while the first still believes to hold it.
local notes = require "notes.reentrant_mended"

return {
  title   = "notes/reentrant_mended: the work outlasts the lease",
  clients = { "A", { "B", start_ms = 100 } },
  program = function(me)
    local lock = notes.lock(me, "order:42", { lease_ms = 1000 })
    if lock:acquire() then
      me:work(1500)
      lock:release()                           -- for the one who overstayed: nil, "not owner"
    end
  end,
  expect  = {
    -- Redis kept its word: each grant was promised for 1000 ms, and no two promises overlap.
    mutual_exclusion = "holds",
    -- The client works 500 ms longer than it was promised, and believes to hold the lock until its release is answered.
    strict_mutual_exclusion = "violated",
  },
  must_see = { "expiry", "wait" },
}
