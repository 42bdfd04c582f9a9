-- once.lua: the program of each client in this folder: take the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.non_reentrant"

return function(me)
  local lock = redisson.fair(me, "order:42")
  if lock:acquire() then
    me:work(100)
    lock:release()
  end
end
