-- once.lua: the program of each client in this folder: make sure that the pool has its permits, take one, work for 100 ms, give it back.
-- With one permit it is a lock for two clients; with two of them, three clients contend.
local redisson = require "redisson.semaphore"

return function(permits)
  return function(me)
    local pool = redisson.semaphore(me, "pool", { permits = permits })
    pool:try_set_permits()
    if pool:acquire() then
      me:work(100)
      pool:release()
    end
  end
end
