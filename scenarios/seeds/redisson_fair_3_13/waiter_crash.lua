-- A waiter dies: those behind it must not wait for the dead.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: a waiter dies",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- B died at the head of the queue. The release wakes B alone; C sleeps through B's whole slot of 300 s.
    prompt = { "violated", idle_ms = 60000 },
  },
  must_see = { "crash", "wait" },
}
