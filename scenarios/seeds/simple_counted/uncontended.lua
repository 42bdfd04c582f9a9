-- Nobody else wants the lock: each acquire must be granted at once, and nothing may stay behind.
local simple = require "simple.counted"

return {
  title   = "simple/counted: uncontended",
  clients = { "A" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    for _ = 1, 2 do
      assert(lock:try_acquire() == true)
      me:work(100)
      assert(lock:release() == true)
    end
  end,
}
