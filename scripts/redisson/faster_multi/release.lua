-- release.lua: give back one hold of each value, and wake a waiter. The owner of a value is not checked: a hold that
-- the caller once had, and which has not run out, is enough to take the value from its present owner.
-- KEYS  1 group, 2 channel, 3 latch
-- ARGV  1 owner, 2 message, 3 lease in milliseconds, 4 publish command, 5 latch's life in milliseconds, 6 now, 7...
-- values
-- Returns 1 when none is left, 0 while holds remain; nil if one of them has run out, when the others are given back
-- all the same.
local group, channel, latch = KEYS[1], KEYS[2], KEYS[3]
local owner, message, lease_ms, publish, latch_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local now_ms = tonumber(ARGV[6])

local decided = redis.call('get', latch)
if decided ~= false then
  return tonumber(decided)
end
if redis.call('exists', group) == 0 then
  redis.call(publish, channel, message)
  return nil
end
local lost, remain = false, false
for i = 7, #ARGV do
  local hold = ARGV[i] .. ':' .. owner
  local until_ms = redis.call('hget', group, hold .. ':expire_time')
  if until_ms == false or tonumber(until_ms) < now_ms then
    lost = true
  elseif redis.call('hincrby', group, hold .. ':lock_count', -1) > 0 then
    remain = true
    if tonumber(until_ms) < now_ms + tonumber(lease_ms) then
      redis.call('hset', group, hold .. ':expire_time', now_ms + tonumber(lease_ms))
    end
  else
    redis.call('hdel', group, hold .. ':expire_time', hold .. ':lock_count')
    redis.call('hdel', group, ARGV[i])
  end
end
if lost then
  return nil
end
redis.call(publish, channel, message)
redis.call('set', latch, remain and 0 or 1, 'px', latch_ms)
if remain and redis.call('pttl', group) < tonumber(lease_ms) then
  redis.call('pexpire', group, lease_ms)
end
return remain and 0 or 1
