-- force_release.lua: take values from the group whoever holds them, and wake a waiter.
-- KEYS  1 group, 2 channel      ARGV  1 message, 2 publish command, 3... values
-- Returns 1 if one of them was held, else 0.
local group, channel = KEYS[1], KEYS[2]
local message, publish = ARGV[1], ARGV[2]
local found = 0
for i = 3, #ARGV do
  local owner = redis.call('hget', group, ARGV[i])
  if owner ~= false then
    local hold = ARGV[i] .. ':' .. owner
    redis.call('hdel', group, ARGV[i], hold .. ':expire_time', hold .. ':lock_count')
    found = 1
  end
end
if found == 1 then
  redis.call(publish, channel, message)
end
return found
