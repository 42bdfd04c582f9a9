-- release.lua: give back one hold of the fair lock; at the last one wake the first in the queue (Redisson 3.13.3 to
-- 3.23).
-- KEYS  1 lock, 2 queue, 3 deadlines, 4 prefix of the waiters' channels
-- ARGV  1 message, 2 lease in milliseconds while holds remain, 3 owner, 4 now, by the client's clock
-- Returns 1 when the lock is free, 0 while holds remain, nil if `owner` holds nothing.
-- A lock that has vanished counts as released: the caller is not told that it had lost it.
local lock, queue, deadlines, channels = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local message, lease_ms, owner, now_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local function wake_first()
  local first = redis.call('lindex', queue, 0)
  if first ~= false then
    redis.call('publish', channels .. ':' .. first, message)
  end
end

while true do
  local first = redis.call('lindex', queue, 0)
  if first == false then
    break
  end
  local deadline_ms = tonumber(redis.call('zscore', deadlines, first))
  if deadline_ms <= now_ms then  -- locksim: allow LS010 as Redisson 3.13 has it: a head without a deadline is an error
    redis.call('zrem', deadlines, first)
    redis.call('lpop', queue)
  else
    break
  end
end

if redis.call('exists', lock) == 0 then
  wake_first()
  return 1
end
if redis.call('hexists', lock, owner) == 0 then
  return nil
end
if redis.call('hincrby', lock, owner, -1) > 0 then
  redis.call('pexpire', lock, lease_ms)
  return 0
end
redis.call('del', lock)
wake_first()
return 1
