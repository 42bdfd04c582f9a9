-- Somebody who holds nothing releases the lock: the holder must not notice.
local simple = require "simple.string"

return {
  title   = "simple/string: a release by a stranger",
  clients = { "A", "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    if me.client == "A" then
      lock:acquire()
      me:work(100)
      assert(lock:release() == true)
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
  },
  must_see = { "grant", "release" },
}
