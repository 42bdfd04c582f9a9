-- A waiting thread is interrupted: it must leave, take its subscription with it, and not be given the lock.
local redisson = require "redisson.lock"

return {
  title   = "fault interrupt: a waiting thread is interrupted",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire({ interruptibly = true }) then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { interrupt = 1 },
  explore = { random = 200 },
  expect  = {
    strict_mutual_exclusion = "holds",
  },
  must_see = { "interrupt" },
}
