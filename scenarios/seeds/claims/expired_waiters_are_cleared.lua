-- Seed 003: clearing expired waiters keeps the dead from holding a place in the queue. Confirmed, but only after the
-- slot of 300 s.
local fair = require "redisson.fair_3_13"

return {
  title   = "claim of seed 003: the dead leave the queue",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = fair.lock(me, "order:42", { lease_ms = 1000 })
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = {
    no_deadlock = "holds",
    -- B died at the head: A's release names B alone, and C is let in only when B's slot is over.
    prompt = { "violated", idle_ms = 60000 },
  },
  must_see = { "crash", "wait" },
}
