-- Redisson's lock: a waiter is woken by a message, and a newcomer may be quicker.
local driver = require "redisson.lock"

return {
  title    = "redisson/lock",
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
