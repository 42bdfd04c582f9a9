-- simple-redis-mutex: a message wakes all who wait, and each asks each 10 s, too.
local driver = require "simple_redis_mutex.lock"

return {
  title    = "simple_redis_mutex/lock",
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
  -- One subscription for the life of a process, and a release that names no KEYS: as the library has it.
  expect   = { script_health = "violated", no_leak = "violated" },
}
