-- once.lua: the program of each client in this folder: try to take the locks of 2 servers as one, work for 100 ms, give them back. Who does
-- not get them goes away. lease_ms: with a lease; without one the watchdogs keep the locks.
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return function(lease_ms)
  return function(me)
    local locks = {}
    for i = 1, 2 do
      locks[i] = redisson.lock(me:on(i), "order:42@" .. i)
    end
    local all = group.lock(me, "order:42", locks)
    if all:try_acquire(-1, lease_ms) then
      me:work(100)
      all:release()
    end
  end
end
