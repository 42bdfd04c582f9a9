-- Redisson's fair lock of release 3.13, whose waiters may sleep for ever.
local driver = require "redisson.fair_3_13"

return {
  title    = "redisson/fair_3_13",
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
