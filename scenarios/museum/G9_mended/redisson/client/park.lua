-- park.lua: how a thread sleeps until a message's permit comes, or for 5 s: a message may be lost.
local longest_ms = 5000

return function(entry, ttl_ms)
  return entry.latch:acquire(ttl_ms < 0 and longest_ms or math.min(ttl_ms, longest_ms))
end
