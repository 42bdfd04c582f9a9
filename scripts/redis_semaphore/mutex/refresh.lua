-- refresh.lua: refreshMutex of redis-semaphore: let the mutex live for another lease from now, if it is the caller's.
-- KEYS  1 mutex      ARGV  1 identifier, 2 lease in milliseconds
-- Returns 1, or 0 when it is not.
local mutex = KEYS[1]
local identifier, lease_ms = ARGV[1], ARGV[2]
if redis.call('get', mutex) ~= identifier then
  return 0
end
redis.call('pexpire', mutex, lease_ms)
return 1
