-- Redisson's faster multi-lock: two accounts of a group in one script, the same two for every client.
local driver = require "redisson.faster_multi"

return {
  title    = "redisson/faster_multi",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local accounts = driver.lock(me, "accounts", { "1", "2" })
    if accounts:acquire() then
      me:work()
      accounts:release()
    end
  end,
  workload = require "workloads",
}
