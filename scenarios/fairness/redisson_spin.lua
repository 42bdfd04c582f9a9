-- Redisson's spin lock: no messages; the sleep between two questions doubles up to 128 ms.
local driver = require "redisson.spin"

return {
  title    = "redisson/spin",
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
