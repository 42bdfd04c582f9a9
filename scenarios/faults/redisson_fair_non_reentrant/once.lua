-- once.lua: the programs of the clients in this folder: take the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.non_reentrant"

local function once(me, opts)
  local lock = redisson.fair(me, "order:42", opts)
  if lock:acquire() then
    me:work(100)
    lock:release()
  end
end

return {
  -- The watchdog keeps the lock.
  kept = function(me)
    once(me)
  end,
  -- For a second at most: for worlds that would be too large with a watchdog.
  leased = function(me)
    once(me, { lease_ms = 1000 })
  end,
}
