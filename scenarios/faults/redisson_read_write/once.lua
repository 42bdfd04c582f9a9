-- once.lua: the programs of the clients in this folder: take one side of the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.read_write"

local function once(side_of)
  return function(me)
    local lock = redisson[side_of(me)](me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end
end

return {
  -- Everybody reads or writes.
  any_side = once(function(me)
    return me:choose { "read", "write" }
  end),
  -- The first one writes, the others read: for worlds that would be too large otherwise.
  one_writer = once(function(me)
    return me.client == "A" and "write" or "read"
  end),
}
