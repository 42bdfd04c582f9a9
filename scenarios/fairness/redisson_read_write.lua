-- Redisson's read-write lock: three of four clients read, and writers get in when no reader is left.
local driver = require "redisson.read_write"

return {
  title    = "redisson/read_write, three of four read",
  clients  = { "A", "B" },
  work_ms  = 50,
  program  = function(me)
    local side = me:choose { "read", "read", "read", "write" }
    local lock = driver[side](me, "order:42", { lease_ms = 5000 })
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  workload = require "workloads",
  expect   = { script_health = "violated" },                 -- the readers' keys are not among KEYS
}
