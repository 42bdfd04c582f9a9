-- release_write.lua: give back one write hold; at the last one the lock is free, or its writer's to read with others.
-- KEYS  1 lock, 2 channel, 3 latch
-- ARGV  1 message, 2 lease in milliseconds while holds remain, 3 the thread's name as a writer, 4 publish command,
--       5 latch's life in milliseconds
-- Returns 1 when the write lock is free, 0 while holds remain, nil if `writer` holds nothing.
-- The latch keeps this release's decision: a re-sent release gets the same answer and changes
-- nothing.
local lock, channel, latch = KEYS[1], KEYS[2], KEYS[3]
local message, lease_ms, writer, publish, latch_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local decided = redis.call('get', latch)
if decided ~= false then
  return tonumber(decided)
end
local mode = redis.call('hget', lock, 'mode')
if mode == false then
  redis.call(publish, channel, message)
  redis.call('set', latch, 1, 'px', latch_ms)
  return nil
end
if mode ~= 'write' or redis.call('hexists', lock, writer) == 0 then
  return nil
end
if redis.call('hincrby', lock, writer, -1) > 0 then
  redis.call('pexpire', lock, lease_ms)
  redis.call('set', latch, 0, 'px', latch_ms)
  return 0
end
redis.call('hdel', lock, writer)
if redis.call('hlen', lock) == 1 then
  redis.call('del', lock)
  redis.call(publish, channel, message)
else
  redis.call('hset', lock, 'mode', 'read')     -- other readers could enter now, and are not told
end
redis.call('set', latch, 1, 'px', latch_ms)
return 1
