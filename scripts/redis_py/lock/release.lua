-- release.lua: Lock.do_release of redis-py: delete the lock, if it is the caller's.
-- KEYS  1 lock      ARGV  1 token
-- Returns 1, or 0 when it is not.
local lock, token = KEYS[1], ARGV[1]
if redis.call('get', lock) ~= token then
  return 0
end
redis.call('del', lock)
return 1
