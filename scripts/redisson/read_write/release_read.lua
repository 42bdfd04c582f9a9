-- release_read.lua: give back one read hold. The hash then lives as long as the longest lease among the readers that
-- are left.
-- KEYS  1 lock, 2 channel, 3 prefix of the reader's own timeout keys, 4 prefix of all readers', 5 latch
-- ARGV  1 message, 2 reader, 3 publish command, 4 latch's life in milliseconds
-- Returns 1 when the lock is free, 0 while a thread still holds it, nil if `reader` holds nothing.
-- The latch keeps this release's decision: a re-sent release gets the same answer and changes
-- nothing.
local lock, channel, own, prefix, latch = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local message, reader, publish, latch_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

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
if redis.call('hexists', lock, reader) == 0 then
  return nil
end

local left = redis.call('hincrby', lock, reader, -1)
if left == 0 then
  redis.call('hdel', lock, reader)
end
redis.call('del', own .. ':' .. left + 1)  -- locksim: allow LS006 KEYS[3] is their prefix, with the lock's {tag}

if redis.call('hlen', lock) > 1 then
  local longest_ms = -3
  -- locksim: allow LS014 as Redisson does it: a round for each reader
  for _, field in ipairs(redis.call('hkeys', lock)) do
    local holds = tonumber(redis.call('hget', lock, field))
    for i = holds or 0, 1, -1 do
      -- locksim: allow LS006 the lock's tag
      longest_ms = math.max(longest_ms, redis.call('pttl', prefix .. ':' .. field .. ':rwlock_timeout:' .. i))
    end
  end
  if longest_ms > 0 then
    redis.call('pexpire', lock, longest_ms)
    redis.call('set', latch, 0, 'px', latch_ms)
    return 0
  end
  if mode == 'write' then
    redis.call('set', latch, 0, 'px', latch_ms)
    return 0
  end
end
redis.call('del', lock)
redis.call(publish, channel, message)
redis.call('set', latch, 1, 'px', latch_ms)
return 1
