-- Eight clients around one fair lock: what the page shows of a simulation.
local fair = require "redisson.fair"

return {
  title   = "a fair lock, busy",
  clients = { "A" },
  program = function(me)
    local lock = fair.lock(me, "order:42")
    lock:acquire()
    me:work()
    lock:release()
  end,
  workload = { name = "busy", clients = 8, arrivals = { think_ms = { exponential = 50 } }, hold_ms = { exponential = 10 }, latency_ms = 1,
               acquisitions = 200, seeds = 2 },
}
