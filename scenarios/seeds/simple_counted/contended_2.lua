-- Two clients want the lock at once: one must wait, and must be let in when the other has finished.
local simple = require "simple.counted"

return {
  title   = "simple/counted: two clients",
  clients = { "A", "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    -- The look and the taking are one script.
    strict_mutual_exclusion = "holds",
    -- Nothing wakes a waiter: the lock lies idle until its next try, 250 ms at most.
    prompt = { "holds", idle_ms = 250 },
  },
  must_see = { "contention" },
}
