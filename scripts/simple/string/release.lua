-- release.lua: delete the lock, but only if it is ours (seed 002, the simple lock).
-- KEYS  1 lock      ARGV  1 owner's unique value
-- Returns 1 when the lock was ours and is free now, else 0.
local lock = KEYS[1]
local owner = ARGV[1]
if redis.call('get', lock) == owner then
  redis.call('del', lock)
  return 1
end
return 0
