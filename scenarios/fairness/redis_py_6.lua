-- redis-py's lock since release 6.0: a token, and a sleep of 100 ms between two questions; a request without an answer
-- is sent again.
local driver = require "redis_py.lock"

return {
  title    = "redis_py/lock with retries",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 5000, retry_ms = 100, retries = 3 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
