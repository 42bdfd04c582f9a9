-- Redisson's semaphore with one permit: a waiter is woken by a message, and a permit has no lease: the dead keep it.
local driver = require "redisson.semaphore"
local is_set                                                 -- each process does it once

return {
  title    = "redisson/semaphore, one permit",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local pool = driver.semaphore(me, "pool", { permits = 1 })
    if not is_set then
      pool:try_set_permits()
      is_set = true
    end
    if pool:acquire() then
      me:work()
      pool:release()
    end
  end,
  workload = require "workloads",
}
