-- redis-py 2.9's lock: its value is the instant of its end, and no TTL.
local driver = require "redis_py.lock_2_9"

return {
  title    = "redis_py/lock_2_9",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 5000, retry_ms = 100 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
