-- Seed 000: the owner's id, client and thread, keeps clients and threads from releasing each other's lock. Confirmed
-- for threads of one process, who share everything else.
local redisson = require "redisson.lock"

return {
  title   = "claim of seed 000: threads are told apart",
  clients = { { "A", threads = 2 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:try_acquire() then
      me:work(100)
      assert(lock:release() == true)
    else
      local freed, why = lock:release()
      assert(freed == nil and why == "not owner")
    end
  end,
  expect  = { owner_only = "holds", strict_mutual_exclusion = "holds" },
  must_see = { "contention" },
}
