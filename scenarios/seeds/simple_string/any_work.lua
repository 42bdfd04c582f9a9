-- Two clients come at any moment and work for any time: whatever one does may fall anywhere in the other.
local simple = require "simple.string"

return {
  title   = "simple/string: work of any length",
  clients = { "A", "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  expect  = {
    -- The lease ends while its holder works: no lease can give this.
    strict_mutual_exclusion = "violated",
    -- Nothing wakes a waiter: the lock lies idle until its next try, 250 ms at most.
    prompt = { "holds", idle_ms = 250 },
  },
  must_see = { "contention" },
}
