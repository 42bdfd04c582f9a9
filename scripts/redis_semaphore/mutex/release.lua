-- release.lua: releaseMutex of redis-semaphore: delete the mutex, if it is the caller's.
-- KEYS  1 mutex      ARGV  1 identifier
-- Returns 1, or 0 when it is not.
local mutex, identifier = KEYS[1], ARGV[1]
if redis.call('get', mutex) ~= identifier then
  return 0
end
return redis.call('del', mutex)
