-- once.lua: the program of each client in this folder: take the lock for at most a second, work inside for 100 ms, give it back. Whoever
-- waits asks every 64 ms.
local redisson = require "redisson.spin"

return function(me)
  local lock = redisson.lock(me, "order:42", { lease_ms = 1000, back_off = function() return 64 end })
  if lock:acquire() then
    me:work(100)
    lock:release()
  end
end
