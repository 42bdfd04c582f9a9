-- once.lua: the program of each client in this folder: take the lock, work inside for 100 ms, give it back.
local driver = require "redis_py.lock"

return function(me)
  local lock = driver.lock(me, "order:42", { lease_ms = 2000, retry_ms = 100 })
  if lock:acquire() then
    me:work(100)
    lock:release()
  end
end
