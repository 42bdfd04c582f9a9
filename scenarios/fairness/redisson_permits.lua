-- Redisson's semaphore of permits that run out, with one permit.
local driver = require "redisson.permits"
local is_set                                                 -- each process does it once

return {
  title    = "redisson/permits, one permit",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local pool = driver.semaphore(me, "pool", { permits = 1, lease_ms = 5000 })
    if not is_set then
      pool:try_set_permits()
      is_set = true
    end
    local permit = pool:acquire()
    if permit then
      me:work()
      pool:release(permit)
    end
  end,
  workload = require "workloads",
}
