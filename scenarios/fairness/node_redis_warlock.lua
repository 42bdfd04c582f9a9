-- node-redis-warlock: a sleep of 1 s between two questions, as in its documents.
local driver = require "node_redis_warlock.warlock"

return {
  title    = "node_redis_warlock/warlock",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 5000, tries = 1000000 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
