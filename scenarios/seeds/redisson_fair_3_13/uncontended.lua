-- Nobody else wants the lock: each acquire must be granted at once, and nothing may stay behind.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: uncontended",
  clients = { "A" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    for _ = 1, 2 do
      assert(lock:try_acquire() == true)
      me:work(100)
      assert(lock:release() == true)
    end
  end,
}
