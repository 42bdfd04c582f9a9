-- Seeds 003 and 004: the fair lock serves in the order of asking. Confirmed without faults, for today's scripts and
-- three clients.
local fair = require "redisson.fair"

return {
  title   = "claim of seeds 003 and 004: first come, first served",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },  -- all three open are many millions of states
  program = function(me)
    local lock = fair.lock(me, "order:42")
    for _ = 1, 2 do
      lock:acquire()
      me:work(100)
      lock:release()
    end
  end,
  expect  = { fifo = "holds", strict_mutual_exclusion = "holds" },
  must_see = { "contention", "wait" },
}
