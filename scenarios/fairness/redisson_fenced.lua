-- Redisson's fenced lock: its lock, and a number for each grant.
local driver = require "redisson.fenced"

return {
  title    = "redisson/fenced",
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
