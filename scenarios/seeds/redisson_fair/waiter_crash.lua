-- A waiter dies: those behind it must not wait for the dead.
local redisson = require "redisson.fair"

return {
  title   = "redisson/fair: a waiter dies",
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
    -- B died at the head of the queue. The release wakes B alone; C is let in only when B's slot of 300 s is over.
    prompt = { "violated", idle_ms = 60000 },
    -- From the end of its first wait until then C is told to wait 0 ms, and asks without a pause.
    no_busy_wait = "violated",
  },
  must_see = { "crash", "wait" },
}
