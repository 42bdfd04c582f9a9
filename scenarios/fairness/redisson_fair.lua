-- Redisson's fair lock: first come, first served, by a queue that each script walks.
local driver = require "redisson.fair"

return {
  title    = "redisson/fair",
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
