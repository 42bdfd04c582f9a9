-- release.lua with our mend, the server's clock: give one permit back, by its name.
-- KEYS  1 semaphore, 2 channel, 3 permits that are out      ARGV  1 name, 2 permits (1), 3 unused, 4 publish command
-- Returns 1, or 0 if there is no such permit, or it has run out.
local semaphore, channel, out = KEYS[1], KEYS[2], KEYS[3]
local permit, count, publish = ARGV[1], ARGV[2], ARGV[4]

local until_ms = redis.call('zscore', out, permit)
if redis.call('zrem', out, permit) ~= 1 then
  return 0
end
redis.call(publish, channel, redis.call('incrby', semaphore, count))
local time = redis.call('time')
if tonumber(until_ms) <= time[1] * 1000 + math.floor(time[2] / 1000) then
  return 0
end
return 1
