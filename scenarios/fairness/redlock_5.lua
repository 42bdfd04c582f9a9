-- Redlock over 5 servers: each round asks all of them, and who fails to get most gives back and asks again after 200
-- ms.
local driver = require("redlock.redlock").over(5)

return {
  title    = "redlock of 5",
  servers  = 5,
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
