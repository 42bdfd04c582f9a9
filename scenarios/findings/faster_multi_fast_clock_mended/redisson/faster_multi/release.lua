-- release.lua with our mend, the server's clock: give back one hold of each value, and wake a waiter.
-- KEYS  1 group, 2 channel, 3 latch      ARGV  1 message, 2 owner, 3 unused, 4 publish command, 5 latch's life in milliseconds, 6... values
-- Returns 1 when none is left, 0 while holds remain; nil if one of them is not ours any more, when the others are given back already.
local group, channel, latch = KEYS[1], KEYS[2], KEYS[3]
local message, owner, publish, latch_ms = ARGV[1], ARGV[2], ARGV[4], ARGV[5]
local time = redis.call('time')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

local decided = redis.call('get', latch)
if decided ~= false then
  return tonumber(decided)
end
local lost, remain = false, false
for i = 6, #ARGV do
  local hold = ARGV[i] .. ':' .. owner
  local until_ms = redis.call('hget', group, hold .. ':expire_time')
  if redis.call('hget', group, ARGV[i]) ~= owner or until_ms == false or tonumber(until_ms) <= now_ms then
    lost = true
  elseif redis.call('hincrby', group, hold .. ':lock_count', -1) > 0 then
    remain = true
  else
    redis.call('hdel', group, ARGV[i], hold .. ':expire_time', hold .. ':lock_count')
  end
end
if lost then
  return nil
end
redis.call(publish, channel, message)
redis.call('set', latch, remain and 0 or 1, 'px', latch_ms)
return remain and 0 or 1
