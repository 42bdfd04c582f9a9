-- release.lua: give back one hold of the fair lock; at the last one wake the first in the queue (Redisson since
-- 3.45.0).
-- KEYS  1 lock, 2 queue, 3 deadlines, 4 prefix of the waiters' channels, 5 latch
-- ARGV  1 message, 2 lease in milliseconds while holds remain, 3 owner, 4 now, by the client's clock, 5 publish
-- command,
--       6 latch's life in milliseconds
-- Returns 1 when the lock is free, 0 while holds remain, nil if `owner` holds nothing.
-- A lock that has vanished counts as released: the caller is not told that it had lost it.
-- The latch keeps this release's decision: a re-sent release gets the same answer and changes
-- nothing.
local lock, queue, deadlines, channels, latch = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local message, lease_ms, owner, now_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local publish, latch_ms = ARGV[5], ARGV[6]

local function wake_first()
  local first = redis.call('lindex', queue, 0)
  if first ~= false then
    redis.call(publish, channels .. ':' .. first, message)
  end
end

local decided = redis.call('get', latch)
if decided ~= false then
  return tonumber(decided)
end

-- A head whose deadline has passed is considered dead. A head without a deadline stays.
while true do
  local first = redis.call('lindex', queue, 0)
  if first == false then
    break
  end
  local deadline_ms = redis.call('zscore', deadlines, first)
  if deadline_ms == false or tonumber(deadline_ms) > now_ms then
    break
  end
  redis.call('zrem', deadlines, first)
  redis.call('lpop', queue)
end

if redis.call('exists', lock) == 0 then
  wake_first()
  redis.call('set', latch, 1, 'px', latch_ms)
  return 1
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
wake_first()
return 1
