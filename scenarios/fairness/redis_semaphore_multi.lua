-- redis-semaphore's multi-semaphore, of two permits that are taken together: a sleep of 10 ms between two questions.
local driver = require("redis_semaphore.multi_semaphore").of { permits = 2, take = 2, lease_ms = 5000 }

return {
  title    = "redis_semaphore/multi_semaphore",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { wait_ms = false })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
