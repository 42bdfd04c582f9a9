-- SET NX PX with a token: refused clients ask again every 100 ms, and the one that asks at the right moment gets in.
local driver = require "basic.set_nx"

return {
  title    = "basic/set_nx",
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
