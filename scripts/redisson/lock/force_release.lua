-- force_release.lua: delete the lock, whatever its owner, and wake a waiter.
-- KEYS  1 lock, 2 channel      ARGV  1 message, 2 publish command
-- Returns 1 if there was a lock, else 0.
local lock, channel = KEYS[1], KEYS[2]
local message, publish = ARGV[1], ARGV[2]
if redis.call('del', lock) == 0 then  -- locksim: allow LS020 a forced release deletes another owner's lock
  return 0
end
redis.call(publish, channel, message)
return 1
