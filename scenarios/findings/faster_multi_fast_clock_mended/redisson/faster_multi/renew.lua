-- renew.lua with our mend, the server's clock: give values of a group a full lease again, if their owner still holds every one of them.
-- KEYS  1 group      ARGV  1 lease in milliseconds, 2 unused, 3 owner, 4... values
-- Returns a list: 1 when they were renewed, else 0.
local group = KEYS[1]
local lease_ms, owner = tonumber(ARGV[1]), ARGV[3]
local time = redis.call('time')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 4, #ARGV do
  if redis.call('hget', group, ARGV[i]) ~= owner then
    return { 0 }
  end
end
for i = 4, #ARGV do
  redis.call('hset', group, ARGV[i] .. ':' .. owner .. ':expire_time', string.format('%.0f', now_ms + lease_ms))
end
if redis.call('pttl', group) < lease_ms then
  redis.call('pexpire', group, lease_ms)
end
return { 1 }
