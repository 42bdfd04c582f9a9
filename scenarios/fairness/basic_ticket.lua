-- A ticket from INCR, and a poll every 100 ms until it is called: first come, first served; the dead are not skipped.
local driver = require "basic.ticket"

return {
  title    = "basic/ticket",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { retry_ms = 100 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
  expect   = { lease_set = "violated" },                     -- there is no lease
}
