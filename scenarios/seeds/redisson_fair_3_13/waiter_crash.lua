-- A waiter dies: those behind it must not wait for the dead.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: a waiter dies",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "B" } },
  explore = { random = 1000 },
  must_see = { "crash", "wait" },
}
