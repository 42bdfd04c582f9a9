-- once.lua: the program of each client in this folder: make sure that the pool has its permits, take one for a second, work for 100 ms, give
-- it back. With one permit it is a lock for two clients; with two of them, three clients contend.
local redisson = require "redisson.permits"

return function(permits)
  return function(me)
    local pool = redisson.semaphore(me, "pool", { permits = permits, lease_ms = 1000 })
    pool:try_set_permits()
    local permit = pool:acquire()
    if permit then
      me:work(100)
      pool:release(permit)
    end
  end
end
