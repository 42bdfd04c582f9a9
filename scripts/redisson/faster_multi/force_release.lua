-- force_release.lua: take values from the group, whatever their owners, and wake a waiter.
-- KEYS  1 group, 2 channel      ARGV  1 message, 2 publish command, 3... values
-- Returns how many were taken. A value without a holder is a script error: those before it are gone, and no waiter is
-- woken.
local group, channel = KEYS[1], KEYS[2]
local message, publish = ARGV[1], ARGV[2]
local taken = 0
for i = 3, #ARGV do
  local owner = redis.call('hget', group, ARGV[i])
  local hold = ARGV[i] .. ':' .. owner  -- locksim: allow LS010 as Redisson has it
  taken = taken + redis.call('hdel', group, ARGV[i])
  redis.call('hdel', group, hold .. ':expire_time', hold .. ':lock_count')
end
redis.call(publish, channel, message)
return taken
