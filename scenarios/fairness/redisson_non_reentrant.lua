-- Redisson's lock without reentrancy.
local driver = require "redisson.non_reentrant"

return {
  title    = "redisson/non_reentrant",
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
