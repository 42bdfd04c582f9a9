-- SET NX PX and a renewal every third of the lease: what it costs where holds are short.
local driver = require "basic.renewed"

return {
  title    = "basic/renewed",
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
