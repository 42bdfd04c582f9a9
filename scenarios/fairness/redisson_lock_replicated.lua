-- Redisson's lock at a server with a replica: each request is followed by WAIT.
local driver = require "redisson.lock"

return {
  title    = "redisson/lock with a replica",
  replicas = 1,
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 5000, replicas = 1 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
