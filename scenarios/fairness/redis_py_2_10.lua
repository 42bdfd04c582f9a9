-- redis-py 2.10's lock: SETNX, then PEXPIRE, and a transaction to release.
local driver = require "redis_py.lock_2_10"

return {
  title    = "redis_py/lock_2_10",
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
  expect   = { lease_set = "violated" },                     -- between the two requests the lock has no end
}
