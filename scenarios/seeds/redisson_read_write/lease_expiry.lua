-- A reader's lease ends while he works: the writer comes in, and the reader learns it when he gives his hold back.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: the work outlasts the lease",
  clients = { "A", { "B", start_ms = 100 } },
  program = function(me)
    local lock = redisson[me.client == "A" and "read" or "write"](me, "order:42", { lease_ms = 1000 })
    if lock:try_acquire(5000) then
      me:work(1500)
      local freed, why = lock:release()
      assert(freed == nil and why == "not owner")
    end
  end,
  expect  = {
    mutual_exclusion = "holds",
    -- The reader works 500 ms longer than it was promised.
    strict_mutual_exclusion = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "expiry", "wait" },
}
