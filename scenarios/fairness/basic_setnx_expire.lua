-- SETNX, then PEXPIRE: as fair as the one command, and one more where it succeeds.
local driver = require "basic.setnx_expire"

return {
  title    = "basic/setnx_expire",
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
  expect   = { lease_set = "violated" },                     -- between the two requests the lock has no end
}
