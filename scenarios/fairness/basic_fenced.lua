-- A lock that numbers its grants: what the number costs.
local driver = require "basic.fenced"

return {
  title    = "basic/fenced",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 5000, retry_ms = 100 })
    if lock:acquire() then
      me:work()
      me:use("the account", lock.fence)
      lock:release()
    end
  end,
  workload = require "workloads",
}
