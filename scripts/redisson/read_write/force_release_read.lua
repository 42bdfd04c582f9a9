-- force_release_read.lua: delete the lock if it is held for reading, whatever its owner, and wake the waiters.
-- KEYS  1 lock, 2 channel      ARGV  1 message, 2 publish command
-- Returns 1 if there was such a lock, else 0.
local lock, channel = KEYS[1], KEYS[2]
local message, publish = ARGV[1], ARGV[2]
if redis.call('hget', lock, 'mode') ~= 'read' then
  return 0
end
redis.call('del', lock)
redis.call(publish, channel, message)
return 1
