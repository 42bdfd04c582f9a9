-- redis-semaphore's semaphore, of one permit: a sleep of 10 ms between two questions.
local driver = require("redis_semaphore.semaphore").of { permits = 1, lease_ms = 5000 }

return {
  title    = "redis_semaphore/semaphore",
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
