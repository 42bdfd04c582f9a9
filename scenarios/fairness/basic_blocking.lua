-- Refused clients wait in BLPOP, and the release pushes: Redis itself queues them.
local driver = require "basic.blocking"

return {
  title    = "basic/blocking",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 5000 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
