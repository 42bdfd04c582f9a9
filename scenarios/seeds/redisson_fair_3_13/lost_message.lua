-- The unlock message is lost: the waiter must find out by itself.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: the message is lost",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { lose_message = 1 },
  explore = { random = 1000 },
  must_see = { "lose_message", "wait" },
}
