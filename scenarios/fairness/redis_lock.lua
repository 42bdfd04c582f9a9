-- redis-lock: a sleep of 50 ms between two questions.
local driver = require "redis_lock.lock"

return {
  title    = "redis_lock/lock",
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
