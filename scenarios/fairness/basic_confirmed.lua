-- SET and WAIT for a replica: what the confirmation costs.
local driver = require "basic.confirmed"

return {
  title    = "basic/confirmed",
  replicas = 1,
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
}
