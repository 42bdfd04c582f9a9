-- once.lua: the programs of the clients in this folder: take the lock, work inside for 100 ms and show the token to what is worked on,
-- give it back.
local redisson = require "redisson.fenced"

local function once(me, take)
  local lock = redisson.lock(me, "order:42")
  if take(lock) then
    me:work(100)
    me:use("order 42", lock.token)
    lock:release()
  end
end

return {
  -- The watchdog keeps the lock.
  kept = function(me)
    once(me, function(lock) return lock:acquire() end)
  end,
  -- For a second at most, which only tryLockAndGetToken can say: for worlds that would be too large with a watchdog.
  leased = function(me)
    once(me, function(lock) return lock:try_acquire(5000, 1000) end)
  end,
}
