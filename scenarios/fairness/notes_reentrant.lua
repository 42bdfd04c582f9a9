-- Document 004's reentrant lock as printed: its release calls what no Redis has, so no waiter is woken.
local driver = require "notes.reentrant"

return {
  title    = "notes/reentrant",
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
  expect   = { script_health = "violated" },                 -- redis.publish
}
