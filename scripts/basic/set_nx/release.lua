-- release.lua: give the lock back, if it is still the caller's.
-- KEYS  1 lock      ARGV  1 the value that the caller's acquire stored
-- Returns 1, or 0 when another client's value stands there, or none.
local lock, token = KEYS[1], ARGV[1]
if redis.call('GET', lock) ~= token then
  return 0
end
return redis.call('DEL', lock)
