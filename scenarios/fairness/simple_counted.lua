-- The notes' hash that counts, polled every 100 ms.
local driver = require "simple.counted"

return {
  title    = "simple/counted",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_s = 5, retry_ms = 100 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
