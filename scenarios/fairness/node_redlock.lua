-- node-redlock on one server: a sleep of 100 to 299 ms between two questions.
local driver = require("node_redlock.redlock").over(1)

return {
  title    = "node_redlock/redlock",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 5000, retries = -1 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
}
