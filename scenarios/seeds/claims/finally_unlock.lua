-- Seed 001's sample unlocks in `finally` even where tryLock() said no: that unlock fails ("not owner"), though it
-- harms no client. In Java this is an IllegalMonitorStateException out of the finally block, on every refused attempt.
local redisson = require "redisson.lock"

return {
  title   = "claim of seed 001: unlock in finally",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    local got = lock:try_acquire()
    if got then
      me:work(1000)
    end
    local freed, why = lock:release()
    if got then
      assert(freed == true)
    else
      assert(freed == nil and why == "not owner")
    end
  end,
  -- The owner's id keeps the stranger out: only hexists of its own field lets a release count.
  expect  = { owner_only = "holds", strict_mutual_exclusion = "holds" },
  must_see = { "contention" },
}
