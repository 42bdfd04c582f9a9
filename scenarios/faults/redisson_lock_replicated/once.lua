-- once.lua: the program of each client in this folder: take the lock of a server with a replica, work inside for 100 ms, give it back.
local redisson = require "redisson.lock"

return function(me)
  local lock = redisson.lock(me, "order:42", { replicas = 1 })
  if lock:acquire() then
    me:work(100)
    lock:release()
  end
end
