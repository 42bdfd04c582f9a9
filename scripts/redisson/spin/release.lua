-- release.lua: give back one hold; at the last one delete the lock. No message is sent: a waiter asks again by itself.
-- KEYS  1 lock, 2 latch
-- ARGV  1 lease in milliseconds while holds remain, 2 owner, 3 latch's life in milliseconds
-- Returns 1 when the lock is free, 0 while holds remain, nil if `owner` holds nothing.
-- The latch keeps this release's decision: a re-sent release gets the same answer and changes
-- nothing.
local lock, latch = KEYS[1], KEYS[2]
local lease_ms, owner, latch_ms = ARGV[1], ARGV[2], ARGV[3]

local decided = redis.call('get', latch)
if decided ~= false then
  return tonumber(decided)
end
if redis.call('hexists', lock, owner) == 0 then
  return nil
end
if redis.call('hincrby', lock, owner, -1) > 0 then
  redis.call('pexpire', lock, lease_ms)
  redis.call('set', latch, 0, 'px', latch_ms)
  return 0
end
redis.call('del', lock)
redis.call('set', latch, 1, 'px', latch_ms)
return 1
