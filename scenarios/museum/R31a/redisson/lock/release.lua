-- release.lua: as it was before 3.24.0: nothing tells an unlock that is sent again from the next one.
-- KEYS  1 lock, 2 channel      ARGV  1 message, 2 lease in milliseconds while holds remain, 3 owner, 4 publish command
-- Returns 1 when the lock is free, 0 while holds remain, nil if `owner` holds nothing.
local lock, channel = KEYS[1], KEYS[2]
local message, lease_ms, owner, publish = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if redis.call('hexists', lock, owner) == 0 then
  return nil
end
if redis.call('hincrby', lock, owner, -1) > 0 then
  redis.call('pexpire', lock, lease_ms)
  return 0
end
redis.call('del', lock)
redis.call(publish, channel, message)
return 1
