-- The owner takes the lock three deep while another waits: it must be free exactly after the third release.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: three deep",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    for _ = 1, 3 do
      lock:acquire()
    end
    me:work(100)
    for _ = 1, 3 do
      lock:release()
    end
  end,
  expect  = {
    -- The hash counts the holds of its one owner; the key goes with the last of them.
    strict_mutual_exclusion = "holds",
  },
  must_see = { "contention", "re-entry" },
}
