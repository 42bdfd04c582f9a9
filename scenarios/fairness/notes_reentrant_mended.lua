-- Document 004's reentrant lock with its release mended: all who wait are woken by one message.
local driver = require "notes.reentrant_mended"

return {
  title    = "notes/reentrant_mended",
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
