-- release.lua: warlock.unlock of node-redis-warlock: delete the lock, if it is the caller's.
-- KEYS  1 lock      ARGV  1 id
-- Returns 1, or 0 when it is not.
local lock, id = KEYS[1], ARGV[1]
if redis.call('get', lock) == id then
  return redis.call('del', lock)
end
return 0
