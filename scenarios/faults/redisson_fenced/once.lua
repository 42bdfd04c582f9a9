-- once.lua: the program of each client in this folder: take the lock, work inside for 100 ms and show the token to what is worked on,
-- give it back.
local redisson = require "redisson.fenced"

return function(me)
  local lock = redisson.lock(me, "order:42")
  if lock:acquire() then
    me:work(100)
    me:use("order 42", lock.token)
    lock:release()
  end
end
