-- Document 004's fair lock: a list is the queue, and only its head may take the lock.
local driver = require "notes.fair"

return {
  title    = "notes/fair",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "{order:42}", { lease_ms = 5000 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
