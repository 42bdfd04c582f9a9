-- redis-semaphore's mutex: a sleep of 10 ms between two questions.
local driver = require "redis_semaphore.mutex"

return {
  title    = "redis_semaphore/mutex",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 5000, wait_ms = false })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
